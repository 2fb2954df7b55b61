-- name:     mixed_label
-- title:    rows with the label -1 while other rows have 0, so the negative class is unclear
-- severity: error
-- why:      -1 can mean the negative class or a missing label
-- for:      labeled
-- column:   predictions.label
-- inputs:   predictions (label, score)
-- advice:   drop the rows with one of the two labels, or map both to one label
SELECT label, score
FROM predictions
WHERE label = -1 AND EXISTS (SELECT 1 FROM predictions WHERE label = 0);
