-- name:     list_sizes
-- title:    Number of first items of each list that has any
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- grain:    system, segment, query_id
SELECT system, segment, query_id, count(*) AS n_items
FROM first_items
GROUP BY system, segment, query_id;
