-- name:     null_system
-- title:    rows with no system
-- for:      ranking
-- severity: error
-- why:      the rows belong to none of the systems that are evaluated
-- column:   predictions.system
-- inputs:   predictions (system, query_id, item_id)
-- advice:   drop these rows or give them a name
SELECT query_id, item_id
FROM predictions
WHERE system IS NULL;
