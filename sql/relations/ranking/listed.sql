-- name:     listed
-- title:    Returned items of the lists that count, once in each slice
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- grain:    system, segment, query_id, item_id
-- note:     the lists are those of the answered queries of the population, once in each of their slices
SELECT ranked.system, lists.segment, ranked.query_id, ranked.item_id, ranked.rank
FROM ranked
JOIN lists ON lists.system = ranked.system AND lists.query_id = ranked.query_id;
