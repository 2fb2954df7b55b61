-- name:     unlisted_item
-- title:    recommended items that the catalogue lacks
-- for:      items
-- severity: warning
-- why:      metrics of the catalogue ignore these items, so coverage and diversity are too low
-- column:   predictions.item_id
-- inputs:   predictions (query_id, item_id), items (item_id)
-- advice:   add them to the catalogue, or check that both tables use the same ids
WITH offered_items AS (
    SELECT item_id, count(*) AS lists
    FROM predictions
    WHERE item_id IS NOT NULL
    GROUP BY item_id
)
SELECT offered_items.item_id, offered_items.lists, (SELECT count(*) FROM offered_items) AS total
FROM offered_items
WHERE NOT EXISTS (SELECT 1 FROM items WHERE items.item_id = offered_items.item_id);
