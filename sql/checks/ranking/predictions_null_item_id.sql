-- name:     predictions_null_item_id
-- title:    rows with no item_id
-- for:      ranking
-- severity: error
-- why:      such a row matches no judgment, but takes up a rank
-- column:   predictions.item_id
-- inputs:   predictions (query_id, item_id)
-- advice:   drop or correct these rows
SELECT query_id
FROM predictions
WHERE item_id IS NULL;
