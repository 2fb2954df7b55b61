-- name:     unknown_label
-- title:    rows whose label is not 0, 1, -1, true or false
-- severity: error
-- why:      such a row is neither positive nor negative
-- for:      labeled
-- column:   predictions.label
-- inputs:   predictions (label, score)
-- advice:   make it 0 or 1, as in SELECT * REPLACE (CAST(label > 1 AS INTEGER) AS label) FROM ...
SELECT label, score
FROM predictions
WHERE NOT label IN (0, 1, -1) AND NOT isnan(label) AND NOT isinf(label);
