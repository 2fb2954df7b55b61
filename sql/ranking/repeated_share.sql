-- name:     repeated_share
-- title:    Share of recommended items that the user has seen
-- group:    Popularity and novelty
-- meaning:  The share of the first k items that the user has in the history already.
-- use:      to see how much of a list is repetition, as in shops where users buy the same item again
-- beware:   some tools remove known items before they rank; then it is 0 whatever the model learned
-- reading:  1: the user knows all of the items
--           0: every recommended item is new to the user
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
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
-- formula:  s / n, with s items among the n first k items that are in the history of the user; norm=k: s / k
-- tex:      \frac{|L \cap H|}{|L|}
-- symbols:  L: the first k items
--           H: the items that the user has in the history
-- source:   Castells, Vargas and Wang, DDR at ECIR 2011
-- oracle:   reference
-- example:  repeated_share(k := 2) = 0.25
-- worked:   q1: (1 + 0) / 2 = 0.5
--           q2: (0 + 0) / 2 = 0
-- related:  unseen_share, average_popularity
SELECT
    system,
    query_id,
    CAST(sum(is_seen) FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE)
        / nullif(coalesce(
            CASE $norm WHEN 'k' THEN $k END,
            count(is_seen) FILTER (WHERE rank <= coalesce($k, rank))
        ), 0) AS value
FROM seen
GROUP BY system, query_id;
