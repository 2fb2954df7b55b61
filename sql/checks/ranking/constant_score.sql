-- name:     constant_score
-- title:    lists whose items all have the same score, so that the ids decide the order
-- for:      ranking
-- severity: warning
-- why:      scores that are all equal give no order, so the value says nothing about the system
-- column:   predictions.score
-- inputs:   predictions (system, query_id, item_id, score)
-- when:     NOT EXISTS (SELECT 1 FROM predictions GROUP BY system, query_id HAVING min(score) < max(score))
-- advice:   check which column is the score and how it was rounded
SELECT system, query_id, count(*) AS items, min(score) AS score
FROM predictions
GROUP BY system, query_id
HAVING count(score) > 1;
