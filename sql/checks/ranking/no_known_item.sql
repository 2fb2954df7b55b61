-- name:     no_known_item
-- title:    items, none of them both recommended and in the history, so every recommended item counts as new
-- for:      history
-- severity: warning
-- why:      ids that do not match look the same as a system that recommends only new items
-- column:   predictions.item_id
-- inputs:   predictions (query_id, item_id), history (item_id)
-- when:     NOT EXISTS (SELECT 1 FROM predictions JOIN item_history ON item_history.item_id = predictions.item_id)
-- advice:   check that both tables use the same ids
SELECT item_id, 'predictions' AS found_in
FROM (SELECT DISTINCT item_id FROM predictions) AS recommended_items
UNION ALL
SELECT item_id, 'history' AS found_in
FROM item_history;
