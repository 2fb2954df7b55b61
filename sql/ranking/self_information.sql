-- name:     self_information
-- alias:    miuf, surprisal, novelty
-- title:    Self-information of the recommended items
-- group:    Popularity and novelty
-- meaning:  Self-information measures how surprising the first k items are. An item that few users know has many bits.
-- use:      to compare systems by novelty; it separates rare items more clearly than average popularity does
-- beware:   tools use the name novelty for other metrics too: check the formula before you compare numbers
-- reading:  0: every user knows every recommended item
--           1: on average, the items are as rare as one that half of the users know
--           10: as rare as an item that one user in 1024 knows
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           popularity VARCHAR DEFAULT 'users' CHECK (popularity IN ('interactions', 'users')),
--           cold VARCHAR DEFAULT 'one' CHECK (cold IN ('one', 'skip')),
--           scale VARCHAR DEFAULT 'bits' CHECK (scale IN ('bits', 'max')),
--           norm VARCHAR DEFAULT 'returned' CHECK (norm IN ('returned', 'k'))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           cold=one: an item that the history lacks counts as if one user had it
--           cold=skip: as in average_popularity
--           scale=bits: the value is in bits
--           scale=max: the value is divided by the largest possible one, so it is at most 1
--           norm: as in average_popularity
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- idle:     norm WHEN k IS NULL; ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, query_id
-- range:    [0, inf), neither is better
-- formula:  the mean of -log2(u_i / N) over the first k items i, which u_i of N users have in the history
-- tex:      \mathrm{MIUF}_k = \frac{1}{|L|} \sum_{i \in L} -\log_2 \frac{u_i}{N}
-- symbols:  L: the first k items
--           u_i: the number of users with item i in the history; popularity=interactions: of interactions
--           N: the number of users of the history; popularity=interactions: of interactions
-- source:   Zhou, Kuscsik, Liu, Medo, Wakeling and Zhang, PNAS 2010, doi:10.1073/pnas.1000488107
-- oracle:   reference
-- example:  self_information(k := 2) = 0.834963
-- worked:   q1: (log2(3 / 2) + log2(3 / 2)) / 2 = 0.5850
--           q2: (log2(3 / 2) + log2(3 / 1)) / 2 = 1.0850
-- related:  average_popularity, popularity_percentile, efd, unseen_share
SELECT
    system,
    query_id,
    sum(ln(total / CASE $cold WHEN 'one' THEN coalesce(popularity, 1) ELSE popularity END))
        FILTER (WHERE rank <= coalesce($k, rank))
        / nullif(coalesce(
            CASE $norm WHEN 'k' THEN $k END,
            count(CASE $cold WHEN 'one' THEN 1 ELSE popularity END) FILTER (WHERE rank <= coalesce($k, rank))
        ), 0)
        / CASE $scale WHEN 'max' THEN nullif(ln(max(total)), 0) ELSE ln(2) END AS value
FROM recommended
GROUP BY system, query_id;
