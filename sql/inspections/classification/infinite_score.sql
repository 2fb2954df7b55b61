-- name:     infinite_score
-- reported: row_infinite_score
-- title:    rows whose score is infinite; they are ranked first or last
-- for:      pairs, thresholds
-- severity: note
-- why:      an infinite score has a place in the order, but is not a probability
-- column:   predictions.score
-- inputs:   predictions (label, score)
-- advice:   nothing to do if they are meant to be; probabilities lie in [0, 1]
SELECT label, score
FROM predictions
WHERE isinf(score);
