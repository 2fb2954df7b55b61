-- name:     truth
-- title:    Truth of rankings as the metrics read it
-- params:   source VARCHAR,
--           query_id VARCHAR DEFAULT 'query_id',
--           item_id VARCHAR DEFAULT 'item_id',
--           relevance VARCHAR DEFAULT NULL
-- grain:    query_id, item_id
-- note:     the column relevance, else label; if there is neither, every row is relevant, with grade 1; a missing
--           column has the type "NULL", which is known before the rows are read
WITH named AS (
    SELECT
        coalesce(*COLUMNS(one_of($query_id))) AS query_id,
        coalesce(*COLUMNS(one_of($item_id))) AS item_id,
        coalesce(*COLUMNS(one_of(coalesce($relevance, 'relevance')))) AS relevance,
        typeof(coalesce(*COLUMNS(one_of(coalesce($relevance, 'relevance'))))) AS relevance_type,
        coalesce(*COLUMNS(one_of('label'))) AS label,
        typeof(coalesce(*COLUMNS(one_of('label')))) AS label_type
    FROM (SELECT *, NULL AS "_duckmetrics_none" FROM query($source)) AS given
)
SELECT
    identifier(query_id, $query_id) AS query_id,
    identifier(item_id, $item_id) AS item_id,
    CASE
        WHEN relevance_type <> '"NULL"'
            THEN grade(relevance, 'truth: column ''' || coalesce($relevance, 'relevance') || '''')
        WHEN $relevance IS NOT NULL
            THEN error('duckmetrics: truth: no column ''' || $relevance || '''; name it with relevance := ...')
        WHEN label_type <> '"NULL"' THEN grade(label, 'truth: column ''label''')
        ELSE 1e0
    END AS relevance
FROM named;
