-- name:     problem_rows
-- title:    Problems of tables and columns, with examples
-- inputs:   type_problems (place, reported, of_table, of_column, what, advice, doubt, examples, n),
--           column_examples (place, of_column, examples)
SELECT
    'error' AS severity,
    type_problems.place,
    type_problems.reported,
    type_problems.of_table,
    type_problems.of_column,
    type_problems.what,
    type_problems.advice,
    type_problems.doubt,
    type_problems.n,
    flatten(
        list(column_examples.examples ORDER BY column_examples.place)
        FILTER (WHERE column_examples.examples IS NOT NULL)
    ) AS examples
FROM type_problems
LEFT JOIN column_examples
    ON type_problems.examples <> '' AND contains(column_examples.of_column, type_problems.examples)
GROUP BY
    type_problems.place, type_problems.reported, type_problems.of_table, type_problems.of_column,
    type_problems.what, type_problems.advice, type_problems.doubt, type_problems.n;
