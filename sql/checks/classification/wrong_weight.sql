-- name:     wrong_weight
-- title:    rows whose weight is negative, NaN, infinite, above 1e250 or from 0 to 1e-150
-- severity: error
-- why:      such a weight makes sums over rows negative, undefined or infinite, or its square is 0
-- for:      weight
-- column:   predictions.weight
-- inputs:   predictions (label, score, weight)
-- advice:   correct them; 0 leaves a row out
SELECT label, score, weight
FROM predictions
WHERE weight < 0 OR isnan(weight) OR isinf(weight) OR weight > 1e250 OR (weight > 0 AND weight < 1e-150);
