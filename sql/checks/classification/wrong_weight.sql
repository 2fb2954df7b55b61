-- name:     wrong_weight
-- title:    rows whose weight is negative, NaN, infinite or above 1e250
-- severity: error
-- why:      such a weight makes sums over rows negative, undefined or infinite
-- for:      weight
-- column:   predictions.weight
-- inputs:   predictions (label, score, weight)
-- advice:   correct them; 0 leaves a row out
SELECT label, score, weight
FROM predictions
WHERE weight < 0 OR isnan(weight) OR isinf(weight) OR weight > 1e250;
