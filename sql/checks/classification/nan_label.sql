-- name:     nan_label
-- reported: row_nan_label
-- title:    rows whose label is NaN or infinite
-- severity: error
-- for:      classification
-- column:   predictions.label
-- inputs:   predictions (label, score)
-- advice:   drop these rows
SELECT label, score
FROM predictions
WHERE isnan(label) OR isinf(label);
