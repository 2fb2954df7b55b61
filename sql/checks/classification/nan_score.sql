-- name:     nan_score
-- reported: row_nan_score
-- title:    rows whose score is NaN, which would sort above every number
-- severity: error
-- why:      NaN has no place in an order, and its error is not a number
-- for:      classification
-- column:   predictions.score
-- inputs:   predictions (label, score)
-- advice:   drop these rows or find out why nothing was predicted
SELECT label, score
FROM predictions
WHERE isnan(score);
