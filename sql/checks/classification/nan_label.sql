-- name:     nan_label
-- reported: row_nan_label
-- title:    rows whose label is NaN or infinite
-- severity: error
-- why:      such a label belongs to no class, and its error is not a number
-- for:      classification
-- column:   predictions.label
-- inputs:   predictions (label, score)
-- advice:   drop these rows
SELECT label, score
FROM predictions
WHERE isnan(label) OR isinf(label);
