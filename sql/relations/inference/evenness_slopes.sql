-- name:     evenness_slopes
-- title:    Change of the evenness of exposure with each list that has an item
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), items (item_id)
-- grain:    system, segment, item_id
SELECT system, segment, item_id, -slope AS slope, mean_slope
FROM gini_slopes;
