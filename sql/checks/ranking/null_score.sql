-- name:     null_score
-- title:    rows whose score is NULL
-- for:      ranking
-- severity: error
-- why:      an item without a score has no place in the ranking
-- column:   predictions.score
-- inputs:   predictions (query_id, item_id, score)
-- advice:   drop these rows or give them the lowest score
SELECT query_id, item_id
FROM predictions
WHERE score IS NULL;
