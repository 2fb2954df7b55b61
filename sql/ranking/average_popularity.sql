-- name:     average_popularity
-- alias:    arp
-- title:    Average popularity of the recommended items
-- group:    Popularity and novelty
-- meaning:  Average popularity is the mean number of interactions that the first k items have in the history.
-- use:      to find out whether a system recommends what everybody knows already
-- beware:   it depends on the size of the history, so compare systems on one history only, or use scale=share
-- reading:  100: the recommended items have 100 interactions on average
--           1: the recommended items have one interaction on average
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           popularity VARCHAR DEFAULT 'interactions' CHECK (popularity IN ('interactions', 'users')),
--           scale VARCHAR DEFAULT 'count' CHECK (scale IN ('count', 'share', 'max')),
--           cold VARCHAR DEFAULT 'zero' CHECK (cold IN ('zero', 'skip')),
--           norm VARCHAR DEFAULT 'returned' CHECK (norm IN ('returned', 'k'))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           scale=count: the popularity is a number of interactions or users
--           scale=share: the popularity is divided by all interactions or users
--           scale=max: the popularity is divided by that of the most popular item
--           cold=zero: an item that the history lacks has popularity 0
--           cold=skip: an item that the history lacks is left out
--           norm=returned: the mean is over the returned items
--           norm=k: the sum is divided by k, even if fewer items were returned
--           missing=undefined: an unanswered query has no value and does not count
--           rel: not used: the metric does not depend on relevance
--           no_relevant: as in judged
-- idle:     norm WHEN k IS NULL; ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, query_id
-- range:    [0, inf), neither is better
-- formula:  the mean of c_i over the first k items i, where item i has c_i interactions in the history
-- tex:      \mathrm{ARP}_k = \frac{1}{|L|} \sum_{i \in L} c_i
-- symbols:  L: the first k items
--           c_i: the number of interactions with item i in the history
-- source:   Yin, Cui, Li, Yao and Chen, VLDB 2012, doi:10.14778/2311906.2311916
-- oracle:   reference
-- example:  average_popularity(k := 2) = 2
-- worked:   q1: (2 + 3) / 2 = 2.5
--           q2: (2 + 1) / 2 = 1.5
-- related:  long_tail_share, self_information
SELECT
    system,
    query_id,
    CAST(sum(CASE $cold WHEN 'zero' THEN coalesce(popularity, 0) ELSE popularity END)
        FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE)
        / nullif(coalesce(
            CASE $norm WHEN 'k' THEN $k END,
            count(CASE $cold WHEN 'zero' THEN 1 ELSE popularity END) FILTER (WHERE rank <= coalesce($k, rank))
        ), 0)
        / CASE $scale WHEN 'share' THEN max(total) WHEN 'max' THEN max(largest) ELSE 1 END AS value
FROM recommended
GROUP BY system, query_id;
