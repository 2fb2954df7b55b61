-- name:     missing_query
-- title:    queries of the population with no predictions
-- for:      ranking
-- severity: error
-- why:      a system that leaves out hard queries looks better than it is
-- column:   predictions.query_id
-- inputs:   predictions (system, query_id), truth (query_id), population (query_id)
-- params:   missing VARCHAR DEFAULT 'zero'
-- advice:   predict them, or set missing=zero or missing=skip
-- settles:  missing=zero
SELECT system, query_id
FROM queries
WHERE $missing = 'error' AND missing;
