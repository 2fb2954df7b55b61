-- name:     popularity_percentile
-- title:    Popularity percentile of the recommended items
-- group:    Popularity and novelty
-- meaning:  The mean place of the first k items in the order of popularity: 1 is the most popular item of the history.
-- use:      to compare popularity across histories of different sizes
-- beware:   equally popular items share the mean of their places, so in a small history many items have the same value
-- reading:  1: the system recommends the most popular item
--           0.5: half of the items of the history are less popular than the recommended ones
--           0: all recommended items are unknown to the history
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           popularity VARCHAR DEFAULT 'users' CHECK (popularity IN ('interactions', 'users')),
--           cold VARCHAR DEFAULT 'zero' CHECK (cold IN ('zero', 'skip')),
--           norm VARCHAR DEFAULT 'returned' CHECK (norm IN ('returned', 'k'))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           cold=zero: an item that the history lacks has percentile 0
--           cold=skip: as in average_popularity
--           norm: as in average_popularity
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- idle:     norm WHEN k IS NULL; ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], neither is better
-- formula:  the mean of r_i / I over the first k items i, r_i the place of item i among I items, from the least popular
-- tex:      \frac{1}{|L|} \sum_{i \in L} \frac{r_i}{I}
-- symbols:  L: the first k items
--           r_i: the place of item i, 1 for the least popular; equally popular items have the mean of their places
--           I: the number of items of the history
-- source:   Ekstrand and Mahant, FLAIRS 2017
-- oracle:   reference
-- example:  popularity_percentile(k := 2) = 0.75
-- worked:   q1: (3.5 / 4 + 3.5 / 4) / 2 = 0.875
--           q2: (3.5 / 4 + 1.5 / 4) / 2 = 0.625
-- related:  average_popularity, long_tail_share, self_information
SELECT
    system,
    query_id,
    sum(CASE WHEN popularity IS NOT NULL THEN low_rank + (n_equal - 1) / 2e0 WHEN $cold = 'zero' THEN 0e0 END)
        FILTER (WHERE rank <= coalesce($k, rank))
        / nullif(coalesce(
            CASE $norm WHEN 'k' THEN $k END,
            count(CASE $cold WHEN 'zero' THEN 1 ELSE popularity END) FILTER (WHERE rank <= coalesce($k, rank))
        ), 0)
        / nullif(max(n_items), 0) AS value
FROM recommended
GROUP BY system, query_id;
