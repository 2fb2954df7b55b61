-- name:     null_slice
-- title:    Warning about queries of the population without a value of the columns by which results are split
-- inputs:   population (query_id), attributes (query_id, attributes), wrong_attributes (problem)
-- params:   source VARCHAR,
--           named_columns VARCHAR,
--           types VARCHAR,
--           nulls VARCHAR,
--           slice_label VARCHAR,
--           advice VARCHAR,
--           queries VARCHAR DEFAULT NULL
-- note:     the columns are those of problem_rows. nulls is the condition that all attributes are NULL; a column that
--           the first table lacks has the type "NULL"
WITH first_types AS (
    SELECT $types AS types
    FROM (SELECT $named_columns FROM (SELECT *, NULL AS "_duckmetrics_none" FROM query($source)) AS given) AS named
    LIMIT 1
),
counted AS (
    SELECT
        CASE
            WHEN (SELECT count(*) FROM wrong_attributes) > 0
                THEN error('duckmetrics: ' || (SELECT min(problem) FROM wrong_attributes))
            ELSE count(DISTINCT population.query_id)
        END AS n
    FROM population
    LEFT JOIN attributes ON attributes.query_id = population.query_id
    WHERE $nulls
)
SELECT
    'warning' AS severity, 0 AS place, 'null_slice' AS reported,
    CASE
        WHEN $queries IS NOT NULL THEN 'queries'
        WHEN EXISTS (SELECT 1 FROM first_types WHERE NOT contains(CAST(types AS VARCHAR), 'NULL')) THEN 'truth'
        ELSE 'predictions'
    END AS of_table,
    $slice_label AS of_column,
    'column ''' || $slice_label || ''': some queries of the population have no value and form the slice NULL' AS what,
    $advice AS advice, NULL AS doubt, n, CAST([] AS VARCHAR[]) AS examples
FROM counted
WHERE n > 0;
