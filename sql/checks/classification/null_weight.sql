-- name:     null_weight
-- title:    rows whose weight is NULL
-- severity: error
-- why:      such a row may count as 0 or as 1, and the value depends on it
-- for:      weight
-- column:   predictions.weight
-- inputs:   predictions (label, score, weight)
-- advice:   give them a weight; 0 leaves a row out
SELECT label, score
FROM predictions
WHERE weight IS NULL;
