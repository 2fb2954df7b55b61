-- name:     cold_item
-- title:    recommended items that the history does not have
-- for:      history
-- severity: note
-- why:      their popularity is 0, and the parameter cold decides how metrics of popularity count them
-- column:   predictions.item_id
-- inputs:   predictions (query_id, item_id), history (item_id)
-- when:     EXISTS (SELECT 1 FROM predictions JOIN item_history ON item_history.item_id = predictions.item_id)
-- advice:   if these items are not new, check that both tables use the same ids
WITH offered_items AS (
    SELECT item_id, count(*) AS lists
    FROM predictions
    WHERE item_id IS NOT NULL
    GROUP BY item_id
)
SELECT offered_items.item_id, offered_items.lists, (SELECT count(*) FROM offered_items) AS total
FROM offered_items
WHERE NOT EXISTS (SELECT 1 FROM item_history WHERE item_history.item_id = offered_items.item_id);
