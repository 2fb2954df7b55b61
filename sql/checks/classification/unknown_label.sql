-- name:     unknown_label
-- title:    rows whose label is not 0, 1, -1, true or false
-- severity: error
-- why:      such a row is neither positive nor negative
-- for:      labeled
-- column:   predictions.label
-- inputs:   predictions (label, score)
-- advice:   map the column that is 0 or 1, unless the score is mapped as the label; classes 1 and 2 become 0 and 1 by
--           SELECT * REPLACE (CAST(label > 1 AS INTEGER) AS label) FROM ...
SELECT label, score
FROM predictions
WHERE NOT label IN (0, 1, -1) AND NOT isnan(label) AND NOT isinf(label);
