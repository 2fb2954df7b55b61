-- name:     unanswered_query
-- title:    queries of the population with no predictions
-- for:      ranking
-- severity: warning
-- why:      each of them counts as 0 by default, which lowers the mean
-- column:   predictions.query_id
-- inputs:   predictions (system, query_id), truth (query_id), population (query_id)
-- params:   missing VARCHAR DEFAULT 'zero'
-- when:     EXISTS (SELECT 1 FROM predictions JOIN truth ON truth.query_id = predictions.query_id)
-- advice:   predict them, or say how they count: missing=zero (the default), missing=skip, population=both
SELECT system, query_id, (SELECT count(*) FROM queries) AS total
FROM queries
WHERE missing AND query_id IS NOT NULL AND system IS NOT NULL AND $missing <> 'error';
