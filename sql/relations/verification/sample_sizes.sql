-- name:     sample_sizes
-- title:    The number of rows of every query of a sample, also of queries without rows
-- inputs:   predictions (query_id, system, item_id, score, position, own_columns),
--           truth (query_id, item_id, relevance, own_columns),
--           query_ids (query_id, id_text)
-- params:   size INTEGER DEFAULT 1000 CHECK (size > 0)
-- grain:    number
SELECT sampled_queries.number AS number, count(sampled_rows.number) AS n
FROM sampled_queries
LEFT JOIN sampled_rows ON sampled_rows.number = sampled_queries.number
WHERE sampled_queries.number <= $size
GROUP BY sampled_queries.number;
