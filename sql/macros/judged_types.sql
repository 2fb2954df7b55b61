-- name:     judged_types
-- title:    Types of the columns of the truth; a missing column has the type "NULL"
-- params:   source VARCHAR,
--           query_id VARCHAR DEFAULT 'query_id',
--           item_id VARCHAR DEFAULT 'item_id',
--           relevance VARCHAR DEFAULT NULL
-- note:     one row, even if the table has no rows
WITH named AS (
    SELECT
        typeof(coalesce(*COLUMNS(one_of($query_id)))) AS query_type,
        typeof(coalesce(*COLUMNS(one_of($item_id)))) AS item_type,
        typeof(coalesce(*COLUMNS(one_of(coalesce($relevance, 'relevance'))))) AS relevance_type,
        typeof(coalesce(*COLUMNS(one_of('label')))) AS label_type,
        typeof(struct_pack(*COLUMNS('.'))) AS found
    FROM (SELECT NULL AS "_duckmetrics_none") AS none
    LEFT JOIN (SELECT * FROM query($source) LIMIT 1) AS given ON TRUE
)
SELECT
    query_type,
    item_type,
    CASE
        WHEN relevance_type <> '"NULL"' OR $relevance IS NOT NULL THEN relevance_type ELSE label_type
    END AS grade_type,
    CASE
        WHEN relevance_type <> '"NULL"' OR $relevance IS NOT NULL THEN coalesce($relevance, 'relevance') ELSE 'label'
    END AS grade_name,
    $relevance IS NOT NULL AND relevance_type = '"NULL"' AS lacks_grade,
    list_of_columns(found) AS found,
    found AS row_type
FROM named;
