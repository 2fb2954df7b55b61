-- name:     repeated_queries
-- title:    Queries that are in several states, with the first and the last of these
-- inputs:   state_queries (state, system, query_id)
-- grain:    query_id
-- note:     the values of such a query would be counted several times
SELECT query_id, min(state) AS first_state, max(state) AS last_state
FROM state_queries
GROUP BY system, query_id
HAVING min(state) <> max(state);
