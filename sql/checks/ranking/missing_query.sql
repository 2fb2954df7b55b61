-- name:     missing_query
-- title:    queries of the population with no predictions
-- for:      ranking
-- severity: error
-- column:   predictions.query_id
-- inputs:   predictions (system, query_id), truth (query_id), population (query_id)
-- params:   missing VARCHAR DEFAULT 'zero'
-- advice:   predict them, or set missing=zero or missing=skip
SELECT system, query_id
FROM queries
WHERE $missing = 'error' AND missing;
