-- name:     no_common_query
-- title:    queries, none of them in both tables
-- for:      ranking
-- severity: error
-- why:      ids that do not match leave nothing to evaluate
-- column:   predictions.query_id
-- inputs:   predictions (query_id), truth (query_id)
-- when:     NOT EXISTS (SELECT 1 FROM predictions JOIN truth ON truth.query_id = predictions.query_id)
-- advice:   check that both tables use the same ids
SELECT query_id, 'predictions' AS found_in
FROM (SELECT DISTINCT query_id FROM predictions) AS answered
UNION ALL
SELECT query_id, 'truth' AS found_in
FROM (SELECT DISTINCT query_id FROM truth) AS judged;
