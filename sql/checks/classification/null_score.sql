-- name:     null_score
-- reported: row_null_score
-- title:    rows whose score is NULL
-- severity: error
-- why:      a model that scores only the easy rows would look better than it is
-- for:      classification
-- column:   predictions.score
-- inputs:   predictions (label, score)
-- advice:   drop these rows or find out why nothing was predicted
SELECT label
FROM predictions
WHERE score IS NULL;
