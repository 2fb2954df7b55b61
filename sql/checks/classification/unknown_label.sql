-- name:     unknown_label
-- title:    rows whose label is not 0, 1, -1, true or false
-- severity: error
-- why:      such a row is neither positive nor negative
-- for:      labeled
-- column:   predictions.label
-- inputs:   predictions (label, score)
-- advice:   map the column with 0 and 1 as the label, for the score may be mapped instead; of other classes, say which
--           one is positive, as in "SELECT * REPLACE (CAST(label = 2 AS INTEGER) AS label) FROM ..."; for the
--           scores of more than two classes, name their columns with classes= (--classes)
SELECT label, score
FROM predictions
WHERE NOT label IN (0, 1, -1) AND NOT isnan(label) AND NOT isinf(label);
