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
        coalesce(*COLUMNS(one_of($query_id))) AS query_id,
        coalesce(*COLUMNS(one_of($item_id))) AS item_id
    FROM (SELECT *, NULL AS "_duckmetrics_none" FROM query($source)) AS given
) AS named;
