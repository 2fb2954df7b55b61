-- name:     asked_truth
-- title:    Truth of all queries, or of the one to explain
-- inputs:   truth (query_id, item_id, relevance)
-- params:   query VARCHAR DEFAULT NULL
SELECT *
FROM truth
WHERE $query IS NULL OR CAST(query_id AS VARCHAR) = $query;
