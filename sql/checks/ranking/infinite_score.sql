-- name:     infinite_score
-- title:    rows whose score is infinite; they are ranked first or last
-- for:      ranking
-- severity: note
-- why:      an infinite score has a place in the order, but often stands for a masked item
-- column:   predictions.score
-- inputs:   predictions (query_id, item_id, score)
-- advice:   nothing to do if they are masked items
SELECT query_id, item_id, score
FROM predictions
WHERE isinf(score);
