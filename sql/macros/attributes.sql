-- name:     attributes
-- title:    The attributes of the queries by which results are split
-- inputs:   truth (query_id)
-- params:   source VARCHAR,
--           otherwise VARCHAR,
--           named_columns VARCHAR,
--           attributes VARCHAR,
--           types VARCHAR,
--           query_id VARCHAR DEFAULT 'query_id'
-- grain:    query_id
-- note:     attributes is a struct of the named columns; they are read from the second table if the first lacks one
--           of them. A missing column has the type "NULL", which is known before the rows are read
WITH first_columns AS (
    SELECT
        coalesce(*COLUMNS(one_of($query_id))) AS query_id,
        $named_columns
    FROM (SELECT *, NULL AS "_duckmetrics_none" FROM query($source)) AS given
),
first_rows AS (
    SELECT query_id, $attributes AS attributes, NOT contains(CAST($types AS VARCHAR), 'NULL') AS is_whole
    FROM first_columns
),
second_columns AS (
    SELECT
        coalesce(*COLUMNS(one_of($query_id))) AS query_id,
        $named_columns
    FROM (SELECT *, NULL AS "_duckmetrics_none" FROM query($otherwise)) AS given
),
second_rows AS (
    SELECT query_id, $attributes AS attributes, NOT contains(CAST($types AS VARCHAR), 'NULL') AS is_whole
    FROM second_columns
)
SELECT
    of_kind(
        query_id, $query_id, 'queries', 'truth', typeof((SELECT query_id FROM truth LIMIT 1)), 'query_id := ...'
    ) AS query_id,
    min(attributes) AS attributes,
    max(attributes) AS others,
    bool_and(is_whole) AS is_whole
FROM (
    SELECT query_id, attributes, is_whole FROM first_rows WHERE is_whole
    UNION ALL
    SELECT query_id, attributes, is_whole
    FROM second_rows
    WHERE NOT EXISTS (SELECT 1 FROM first_rows WHERE is_whole)
) AS rows_of_queries
GROUP BY query_id;
