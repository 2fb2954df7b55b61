-- name:     judged_ids
-- title:    Ids of the truth, whose types the predictions must have
-- params:   source VARCHAR,
--           query_id VARCHAR DEFAULT 'query_id',
--           item_id VARCHAR DEFAULT 'item_id'
-- grain:    row
-- note:     only the types are read, before any row
SELECT
    COLUMNS('(?i)^' || regexp_escape($query_id) || '$') AS query_id,
    COLUMNS('(?i)^' || regexp_escape($item_id) || '$') AS item_id
FROM query($source);
