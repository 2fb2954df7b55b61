-- name:     unseen_share
-- title:    Share of recommended items that the user has not seen
-- group:    Popularity and novelty
-- meaning:  The share of the first k items that the user does not have in the history.
-- use:      to check whether a system repeats what the user already has
-- beware:   a user without a history has the value 1; in shops with repeated purchases, a low value can be right
-- reading:  1: every recommended item is new to the user
--           0: the user knows all of the items
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
-- formula:  u / n, with u items among the n first k items that are not in the history of the user; norm=k: u / k
-- tex:      \frac{|L \setminus H|}{|L|}
-- symbols:  L: the first k items
--           H: the items that the user has in the history
-- source:   Castells, Vargas and Wang, DDR at ECIR 2011
-- oracle:   reference
-- example:  unseen_share(k := 2) = 0.75
-- worked:   q1: (0 + 1) / 2 = 0.5
--           q2: (1 + 1) / 2 = 1
-- related:  repeated_share, self_information
SELECT
    system,
    query_id,
    CAST(sum(1 - is_seen) FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE)
        / nullif(coalesce(
            CASE $norm WHEN 'k' THEN $k END,
            count(is_seen) FILTER (WHERE rank <= coalesce($k, rank))
        ), 0) AS value
FROM seen
GROUP BY system, query_id;
