-- name:     history_length
-- title:    Queries by the number of interactions that the history has of their user
-- slice:    history_length: '0', '1 to 9', '10 to 99' or '100 or more' interactions of the user
-- inputs:   known_queries (query_id), history (query_id)
-- grain:    query_id
-- note:     a query that the history does not have is in '0'; the texts sort like the numbers
WITH lengths AS (
    SELECT query_id, count(*) AS n_interactions
    FROM history
    GROUP BY query_id
)
SELECT
    known_queries.query_id,
    CASE
        WHEN lengths.n_interactions >= 100 THEN '100 or more'
        WHEN lengths.n_interactions >= 10 THEN '10 to 99'
        WHEN lengths.n_interactions >= 1 THEN '1 to 9'
        ELSE '0'
    END AS history_length
FROM known_queries
LEFT JOIN lengths ON lengths.query_id = known_queries.query_id;
