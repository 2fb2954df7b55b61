-- name:     predictions_null_query_id
-- title:    rows with no query_id
-- for:      ranking
-- severity: error
-- why:      such a row belongs to no ranking
-- column:   predictions.query_id
-- inputs:   predictions (query_id, item_id)
-- advice:   drop or correct these rows
SELECT item_id
FROM predictions
WHERE query_id IS NULL;
