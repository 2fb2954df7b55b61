-- name:     pop_rsp
-- title:    Ranking-based statistical parity of popular and other items
-- group:    All lists of a system
-- meaning:  PopRSP reports how differently the system recommends popular items and the other ones, the long tail.
-- use:      to find out whether the system prefers popular items, whatever users want
-- beware:   it does not show which group gets more; long_tail_share does
-- reading:  0: an item of the tail is recommended as often as one of the head
--           1: only one of the groups is recommended
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), history (query_id, item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           popularity VARCHAR DEFAULT 'interactions' CHECK (popularity IN ('interactions', 'users')),
--           tail VARCHAR DEFAULT 'interactions' CHECK (tail IN ('interactions', 'items', 'count')),
--           boundary DOUBLE DEFAULT 0.8
--               CHECK (boundary >= 0 AND (tail <> 'count' OR boundary >= 1) AND (tail = 'count' OR boundary <= 1))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           popularity: as in relations/ranking/item_popularity
--           tail: as in relations/ranking/long_tail
--           boundary: as in relations/ranking/long_tail
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- idle:     ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, segment
-- range:    [0, 1], lower is better
-- formula:  |a - b| / (a + b), the population standard deviation over the mean of a and b
-- tex:      \frac{|a - b|}{a + b}
-- symbols:  a: the share of the items of the head, over all users, that the first k items of their lists have
--           b: the same share of the tail; items of a user's own history do not count
-- source:   Zhu, Wang and Caverlee, SIGIR 2020, doi:10.1145/3397271.3401177
-- oracle:   reference
-- example:  pop_rsp(k := 2) = 0.2
-- worked:   abs(2/3 - 1/1) / (2/3 + 1/1) = 0.2
-- related:  pop_reo, long_tail_share
SELECT
    system,
    segment,
    abs(sum(CASE in_tail WHEN 1 THEN 1 ELSE -1 END * n_recommended / nullif(n_possible, 0)))
        / nullif(sum(n_recommended / nullif(n_possible, 0)), 0) * CASE WHEN count(nullif(n_possible, 0)) = 2 THEN 1 END
        AS value
FROM group_exposures
GROUP BY system, segment;
