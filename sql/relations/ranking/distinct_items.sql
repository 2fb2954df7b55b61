-- name:     distinct_items
-- title:    The first k items of the lists that count, each once in a list
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- grain:    system, segment, query_id, item_id
SELECT DISTINCT system, segment, query_id, item_id
FROM first_items;
