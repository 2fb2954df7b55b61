-- name:     unjudged_query
-- title:    predicted queries that are not in the truth, so that they do not count
-- for:      ranking
-- severity: note
-- why:      the mean covers fewer queries than were predicted
-- column:   predictions.query_id
-- inputs:   predictions (system, query_id), truth (query_id)
-- params:   population VARCHAR DEFAULT 'truth'
-- when:     EXISTS (SELECT 1 FROM predictions JOIN truth ON truth.query_id = predictions.query_id)
-- advice:   check that the truth is complete; population=predictions counts them as queries with nothing relevant
-- settles:  population=predictions
WITH answered AS (
    SELECT DISTINCT query_id FROM answers
)
SELECT answered.query_id, (SELECT count(*) FROM answered) AS total
FROM answered
WHERE $population = 'truth'
    AND answered.query_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM truth WHERE truth.query_id = answered.query_id);
