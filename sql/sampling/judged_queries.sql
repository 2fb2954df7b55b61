-- name:     judged_queries
-- title:    Number of relevant and nonrelevant items of the queries that stand for ranks
-- inputs:   ranks (rank)
-- grain:    query_id
-- note:     replaces the relation of this name; query 0 is missing, but has a relevant item
SELECT rank AS query_id, 1 AS m, 0 AS n_nonrelevant
FROM ranks
UNION ALL
SELECT 0 AS query_id, 1 AS m, 0 AS n_nonrelevant;
