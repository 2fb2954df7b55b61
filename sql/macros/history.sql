-- name:     history
-- title:    Interactions that the systems were trained on, as the metrics read them
-- params:   source VARCHAR,
--           query_id VARCHAR DEFAULT 'query_id',
--           item_id VARCHAR DEFAULT 'item_id'
-- grain:    row
SELECT
    identifier(query_id, $query_id) AS query_id,
    identifier(item_id, $item_id) AS item_id
FROM (
    SELECT
        COLUMNS('(?i)^' || regexp_escape($query_id) || '$') AS query_id,
        COLUMNS('(?i)^' || regexp_escape($item_id) || '$') AS item_id
    FROM query($source)
) AS named;
