-- name:     infinite_score
-- reported: row_infinite_score
-- title:    rows whose score is infinite; they are ranked first or last
-- for:      pairs, thresholds
-- severity: note
-- column:   predictions.score
-- inputs:   predictions (label, score)
-- advice:   nothing to do if they are meant to be; probabilities lie in [0, 1]
SELECT label, score
FROM predictions
WHERE isinf(score);
