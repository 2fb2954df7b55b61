-- name:     nan_score
-- title:    rows whose score is NaN, which would sort before every number
-- for:      ranking
-- severity: error
-- why:      NaN has no place in an order, and each tool puts it in a different place
-- column:   predictions.score
-- inputs:   predictions (query_id, item_id, score)
-- advice:   drop these rows or give them the lowest score
SELECT query_id, item_id
FROM predictions
WHERE isnan(score);
