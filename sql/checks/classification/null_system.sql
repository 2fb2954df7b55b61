-- name:     null_system
-- reported: row_null_system
-- title:    rows with no system
-- severity: error
-- why:      the rows belong to none of the models that are evaluated
-- for:      classification, multiclass
-- column:   predictions.system
-- inputs:   predictions (system, label, score)
-- advice:   drop these rows or give them a name
SELECT label, score
FROM predictions
WHERE system IS NULL;
