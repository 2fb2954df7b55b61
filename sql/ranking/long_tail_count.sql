-- name:     long_tail_count
-- alias:    aclt
-- title:    Number of recommended items from the long tail
-- group:    Popularity and novelty
-- meaning:  The number of items of the long tail, which few users choose, among the first k items.
-- use:      when a page needs a certain number of items that are not popular
-- beware:   it grows with k and with the length of the list; long_tail_share divides by the length
-- reading:  3: three of the first k items are from the tail
--           0: the system recommends only popular items
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           popularity VARCHAR DEFAULT 'interactions' CHECK (popularity IN ('interactions', 'users')),
--           tail VARCHAR DEFAULT 'interactions' CHECK (tail IN ('interactions', 'items', 'count')),
--           boundary DOUBLE DEFAULT 0.8
--               CHECK (boundary >= 0 AND (tail <> 'count' OR boundary >= 1) AND (tail = 'count' OR boundary <= 1)),
--           cold VARCHAR DEFAULT 'tail' CHECK (cold IN ('tail', 'head'))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- idle:     ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, query_id
-- range:    [0, inf), neither is better
-- formula:  the number of items of the tail among the first k items
-- tex:      \mathrm{ACLT}_k = |L \cap T|
-- symbols:  L: the first k items
--           T: the items of the long tail
-- source:   Abdollahpouri, Burke and Mobasher, FLAIRS 2019, arXiv:1901.07555
-- oracle:   reference
-- example:  long_tail_count(k := 2) = 0.5
-- worked:   q1: 0 + 0 = 0
--           q2: 0 + 1 = 1
-- related:  long_tail_share, average_popularity
SELECT
    system,
    query_id,
    CAST(sum(in_tail) FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE) AS value
FROM long_tail
GROUP BY system, query_id;
