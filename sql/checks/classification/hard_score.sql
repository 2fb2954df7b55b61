-- name:     hard_score
-- title:    different scores in all rows, 0 and 1, like predicted classes
-- for:      pairs, thresholds
-- severity: warning
-- why:      a predicted class orders no two rows of its class, so that AUC and average precision are of one threshold
-- column:   predictions.score
-- inputs:   predictions (score)
-- when:     NOT EXISTS (SELECT 1 FROM predictions WHERE score <> 0 AND score <> 1)
-- advice:   give the probabilities (predict_proba) instead of the classes (predict)
SELECT score, count(*) AS n
FROM predictions
WHERE EXISTS (SELECT 1 FROM predictions WHERE score = 1) AND EXISTS (SELECT 1 FROM predictions WHERE score = 0)
GROUP BY score;
