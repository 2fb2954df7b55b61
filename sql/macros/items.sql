-- name:     items
-- title:    Catalogue of the items, as the metrics read it
-- params:   source VARCHAR,
--           item_id VARCHAR DEFAULT 'item_id'
-- grain:    row
SELECT identifier(item_id, $item_id) AS item_id
FROM (
    SELECT coalesce(*COLUMNS(one_of($item_id))) AS item_id
    FROM (SELECT *, NULL AS "_duckmetrics_none" FROM query($source)) AS given
) AS named;
