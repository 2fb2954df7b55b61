-- name:     duplicate_prediction
-- title:    items predicted more than once for a query
-- for:      ranking
-- severity: error
-- column:   predictions.item_id
-- inputs:   predictions (system, query_id, item_id)
-- params:   duplicates VARCHAR DEFAULT 'error'
-- advice:   drop them, name the column that tells the runs apart with system=, or set duplicates=first
SELECT system, query_id, item_id
FROM predictions
WHERE $duplicates = 'error'
GROUP BY system, query_id, item_id
HAVING count(*) > 1;
