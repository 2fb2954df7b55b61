-- name:     null_label
-- reported: row_null_label
-- title:    rows whose label is NULL
-- severity: error
-- why:      the row may be a negative, or an event that is not observed yet
-- for:      classification
-- column:   predictions.label
-- inputs:   predictions (label, score)
-- advice:   drop these rows, or replace NULL with the label it stands for
SELECT score
FROM predictions
WHERE label IS NULL;
