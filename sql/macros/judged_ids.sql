-- name:     judged_ids
-- title:    Ids of the truth, whose types the predictions must have
-- params:   source VARCHAR,
--           query_id VARCHAR DEFAULT 'query_id',
--           item_id VARCHAR DEFAULT 'item_id'
-- grain:    row
-- note:     only the types are read, before any row
SELECT
    coalesce(*COLUMNS(one_of($query_id))) AS query_id,
    coalesce(*COLUMNS(one_of($item_id))) AS item_id
FROM (SELECT *, NULL AS "_duckmetrics_none" FROM query($source)) AS given;
