-- name:     unread_grade
-- title:    Column of the truth that looks like grades, if none is read, with the columns of problem_rows
-- inputs:   judged_types (grade_type, lacks_grade, row_type)
-- params:   names VARCHAR
-- note:     | separates the names
SELECT
    'warning' AS severity,
    1 AS place,
    'unread_grade' AS reported,
    'truth' AS of_table,
    name AS of_column,
    'column ''' || name || ''': not read, so that every item of the truth has grade 1' AS what,
    'name it with relevance := ''' || name || '''' AS advice,
    NULL AS doubt,
    0 AS n,
    [] AS examples
FROM (
    SELECT
        grade_type,
        lacks_grade,
        regexp_extract(
            row_type,
            '(?i)[(,] ?"?(' || $names
                || ')"? (?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL|BOOLEAN)',
            1
        ) AS name
    FROM judged_types
) AS found
WHERE grade_type = '"NULL"'
    AND NOT lacks_grade
    AND name <> '';
