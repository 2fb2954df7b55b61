-- name:     items
-- title:    Catalogue of the items, as the metrics read it
-- params:   source VARCHAR,
--           item_id VARCHAR DEFAULT 'item_id'
-- grain:    row
SELECT identifier(item_id, $item_id) AS item_id
FROM (SELECT COLUMNS('(?i)^' || regexp_escape($item_id) || '$') AS item_id FROM query($source)) AS named;
