-- name:     reference_counts
-- title:    Number of items that the reference run returned for a query
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id, relevance), reference (query_id, item_id, score)
-- grain:    query_id
SELECT query_id, count(*) AS n_reference
FROM reference_ranked
GROUP BY query_id;
