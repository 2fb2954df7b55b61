-- name:     sampled_queries
-- title:    The queries whose ids, as text, have the smallest md5, numbered from 1
-- inputs:   query_ids (query_id, id_text)
-- params:   size INTEGER DEFAULT 1000 CHECK (size > 0)
-- portable: no, except spark: others verify no numbers
-- grain:    number
-- note:     one query more than size, which shows whether there are more
WITH keyed AS (
    SELECT DISTINCT query_id, md5(id_text) AS key
    FROM query_ids
),
first_ones AS (
    SELECT query_id, key
    FROM keyed
    ORDER BY key, query_id
    LIMIT $size + 1
)
SELECT row_number() OVER (ORDER BY key, query_id) AS number, query_id
FROM first_ones;
