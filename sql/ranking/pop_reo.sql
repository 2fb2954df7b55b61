-- name:     pop_reo
-- title:    Ranking-based equal opportunity of popular and other items
-- group:    All lists of a system
-- meaning:  PopREO reports how differently the system finds relevant items that are popular and the other ones, the
--           long tail.
-- use:      to find out whether users of rare items get worse recommendations than users of popular items
-- beware:   it does not show which group is found more often
-- reading:  0: a relevant item of the tail is found as often as one of the head
--           1: only relevant items of one of the groups are found
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), history (query_id, item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           popularity VARCHAR DEFAULT 'interactions' CHECK (popularity IN ('interactions', 'users')),
--           tail VARCHAR DEFAULT 'interactions' CHECK (tail IN ('interactions', 'items', 'count')),
--           boundary DOUBLE DEFAULT 0.8
--               CHECK (boundary >= 0 AND (tail <> 'count' OR boundary >= 1) AND (tail = 'count' OR boundary <= 1))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           popularity: as in relations/ranking/item_popularity
--           tail: as in relations/ranking/long_tail
--           boundary: as in relations/ranking/long_tail
--           missing: as in average_popularity
--           no_relevant: as in judged
-- idle:     ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, segment
-- range:    [0, 1], lower is better
-- formula:  |a - b| / (a + b), the population standard deviation over the mean of a and b
-- tex:      \frac{|a - b|}{a + b}
-- symbols:  a: the share of the relevant items of the head, over all users, that the first k items of their lists have
--           b: the same share of the tail; items of a user's own history do not count
-- source:   Zhu, Wang and Caverlee, SIGIR 2020, doi:10.1145/3397271.3401177
-- oracle:   reference
-- example:  pop_reo(k := 2) = 1
-- worked:   abs(0/1 - 1/1) / (0/1 + 1/1) = 1
-- related:  pop_rsp, long_tail_share
SELECT
    system,
    segment,
    abs(sum(CASE in_tail WHEN 1 THEN 1 ELSE -1 END * n_recommended / nullif(n_possible, 0)))
        / nullif(sum(n_recommended / nullif(n_possible, 0)), 0) * CASE WHEN count(nullif(n_possible, 0)) = 2 THEN 1 END
        AS value
FROM group_hits
GROUP BY system, segment;
