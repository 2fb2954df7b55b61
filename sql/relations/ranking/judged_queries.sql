-- name:     judged_queries
-- title:    Queries of the truth with their number of relevant and nonrelevant items
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id, relevance)
-- grain:    query_id
SELECT
    query_id,
    count(*) FILTER (WHERE is_relevant) AS m,
    count(*) FILTER (WHERE NOT is_relevant) AS n_nonrelevant
FROM grades
GROUP BY query_id;
