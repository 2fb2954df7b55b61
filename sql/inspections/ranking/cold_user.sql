-- name:     cold_user
-- title:    queries of the population that the history does not have
-- for:      history
-- severity: note
-- why:      nothing was known about these users, so their values are often lower
-- column:   predictions.query_id
-- inputs:   predictions (system, query_id), truth (query_id), population (query_id), history (query_id)
-- advice:   look at them with by=history_length; if they are not new, check that both tables use the same ids
WITH asked_queries AS (
    SELECT DISTINCT query_id
    FROM queries
    WHERE query_id IS NOT NULL
)
SELECT asked_queries.query_id, (SELECT count(*) FROM asked_queries) AS total
FROM asked_queries
WHERE NOT EXISTS (SELECT 1 FROM history WHERE history.query_id = asked_queries.query_id);
