-- name:     null_weight
-- title:    rows whose weight is NULL
-- severity: error
-- for:      weight
-- column:   predictions.weight
-- inputs:   predictions (label, score, weight)
-- advice:   give them a weight, 0 leaves a row out
SELECT label, score
FROM predictions
WHERE weight IS NULL;
