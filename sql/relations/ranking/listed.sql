-- name:     listed
-- title:    Returned items of the lists that count, once in each slice
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           members (system, query_id, segment)
-- grain:    system, segment, query_id, item_id
-- note:     members are the answered queries of the population, once in each slice that they belong to
SELECT ranked.system, members.segment, ranked.query_id, ranked.item_id, ranked.rank
FROM ranked
JOIN members ON members.system = ranked.system AND members.query_id = ranked.query_id;
