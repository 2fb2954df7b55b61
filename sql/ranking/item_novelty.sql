-- name:     item_novelty
-- title:    Novelty of all recommendations
-- group:    All lists of a system
-- meaning:  Item novelty is the mean surprise of all recommendations: rare items of the history have a high one.
-- use:      to compare with tools that average over recommendations; self_information averages over users
-- beware:   with cold=zero a new item lowers the value, although it is the most novel one
-- reading:  0: every recommended item is in every interaction
--           10: the recommended items have one of 1024 interactions
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), history (query_id, item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           popularity VARCHAR DEFAULT 'interactions' CHECK (popularity IN ('interactions', 'users')),
--           cold VARCHAR DEFAULT 'zero' CHECK (cold IN ('zero', 'one', 'skip'))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           popularity: as in relations/ranking/item_popularity
--           cold: as in relations/ranking/item_novelties
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- idle:     ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, segment
-- range:    [0, inf), neither is better
-- formula:  -sum over all recommendations of log2(h_i / H) / C
-- tex:      -\frac{1}{C} \sum_i c_i \log_2 \frac{h_i}{H}
-- symbols:  c_i: the number of lists that have item i
--           C: the sum of all c_i
--           h_i: the number of interactions with item i in the history
--           H: the number of all interactions
-- source:   Castells, Vargas and Wang, DDR workshop at ECIR 2011
-- oracle:   reference
-- example:  item_novelty(k := 2) = 1.911114
-- worked:   -(2 * log2(2/7) + log2(3/7) + log2(1/7)) / 4 = 1.911114
-- influence: novelty_slopes
-- related:  self_information, average_popularity
SELECT
    system,
    segment,
    sum(n_lists * novelty) / nullif(sum(CASE WHEN novelty IS NOT NULL THEN n_lists END), 0) AS value
FROM item_novelties
GROUP BY system, segment;
