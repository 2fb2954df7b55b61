-- name:     long_tail_share
-- alias:    aplt, tail_percentage
-- title:    Share of recommended items from the long tail
-- group:    Popularity and novelty
-- meaning:  The share of the first k items that belong to the long tail: the many items that few users choose.
-- use:      to see whether a system promotes items that users would not find without it
-- beware:   a random ranking has a high share too; read it next to an accuracy metric
-- reading:  1: all recommended items are from the tail
--           0: the system recommends only popular items
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           popularity VARCHAR DEFAULT 'interactions' CHECK (popularity IN ('interactions', 'users')),
--           tail VARCHAR DEFAULT 'interactions' CHECK (tail IN ('interactions', 'items', 'count')),
--           boundary DOUBLE DEFAULT 0.8
--               CHECK (boundary >= 0 AND (tail <> 'count' OR boundary >= 1) AND (tail = 'count' OR boundary <= 1)),
--           cold VARCHAR DEFAULT 'tail' CHECK (cold IN ('tail', 'head')),
--           norm VARCHAR DEFAULT 'returned' CHECK (norm IN ('returned', 'k'))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           norm: as in average_popularity
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- idle:     norm WHEN k IS NULL; ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], neither is better
-- formula:  t / n, with t items of the tail among the n first k items; norm=k: t / k
-- tex:      \mathrm{APLT}_k = \frac{|L \cap T|}{|L|}
-- symbols:  L: the first k items
--           T: the items of the long tail
-- source:   Abdollahpouri, Burke and Mobasher, FLAIRS 2019, arXiv:1901.07555
-- oracle:   reference
-- example:  long_tail_share(k := 2) = 0.25
-- worked:   q1: (0 + 0) / 2 = 0
--           q2: (0 + 1) / 2 = 0.5
-- related:  long_tail_count, average_popularity, popularity_percentile
SELECT
    system,
    query_id,
    CAST(sum(in_tail) FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE)
        / nullif(coalesce(
            CASE $norm WHEN 'k' THEN $k END,
            count(rank) FILTER (WHERE rank <= coalesce($k, rank))
        ), 0) AS value
FROM long_tail
GROUP BY system, query_id;
