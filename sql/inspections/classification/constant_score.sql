-- name:     constant_score
-- reported: row_constant_score
-- title:    scores with the same value in every row, which cannot distinguish rows
-- for:      pairs, thresholds
-- severity: warning
-- why:      scores that are all equal have an AUC of 0.5, whatever the labels
-- column:   predictions.score
-- inputs:   predictions (score)
-- when:     NOT EXISTS (SELECT 1 FROM predictions HAVING min(score) < max(score))
-- advice:   check which column is the score and how it was rounded
SELECT score, count(*) AS n
FROM predictions
GROUP BY score
HAVING count(score) > 1;
