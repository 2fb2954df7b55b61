-- name:     mixed_label
-- title:    rows with the label -1 next to others with 0, so that the negative class is unclear
-- severity: error
-- why:      -1 may be the negative class, or stand for a label that is missing
-- for:      labeled
-- column:   predictions.label
-- inputs:   predictions (label, score)
-- advice:   drop one of the two or make them one class
SELECT label, score
FROM predictions
WHERE label = -1 AND EXISTS (SELECT 1 FROM predictions WHERE label = 0);
