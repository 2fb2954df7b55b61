-- name:     list_totals
-- title:    Number of lists with an item among the first k
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- grain:    system, segment
SELECT system, segment, count(*) AS n_all_lists
FROM list_sizes
GROUP BY system, segment;
