-- name:     column_examples
-- title:    Three values of a column for a finding about its type, first those that are not numbers
-- inputs:   given (v), type_problems (examples)
-- params:   of_column VARCHAR,
--           label VARCHAR
-- note:     the rows are read only if there is such a finding
SELECT arg_min(DISTINCT
    $label || '='
    || CASE WHEN typeof(v) = 'VARCHAR' THEN '''' || CAST(v AS VARCHAR) || '''' ELSE CAST(v AS VARCHAR) END,
    {'is_number': TRY_CAST(CAST(v AS VARCHAR) AS DOUBLE) IS NOT NULL, 'v': v}, 3
) AS examples
FROM given
WHERE v IS NOT NULL AND EXISTS (SELECT 1 FROM type_problems WHERE contains($of_column, examples) AND examples <> '');
