-- name:     asked_population
-- title:    Listed queries, or the one to explain
-- inputs:   population (query_id)
-- params:   query VARCHAR DEFAULT NULL
SELECT query_id
FROM population
WHERE $query IS NULL OR CAST(query_id AS VARCHAR) = $query;
