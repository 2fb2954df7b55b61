-- name:     personalization
-- alias:    inter_list_diversity
-- title:    Personalization
-- group:    All lists of a system
-- meaning:  Personalization reports how different the lists of two users are: the share of a user's items that another
--           user does not get.
-- use:      to find out whether a system gives everybody the same items
-- beware:   a random ranking has a high value too; read it next to an accuracy metric
-- reading:  1: no two users have an item in common
--           0: all users have the same items
-- alone:    personalization@10
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           norm VARCHAR DEFAULT 'returned' CHECK (norm IN ('returned', 'k', 'full_k')
--               AND (norm <> 'k' OR k IS NOT NULL) AND (norm <> 'full_k' OR k IS NOT NULL))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           norm=returned: items in common are divided by the items of the lists
--           norm=k: items in common are divided by k, even in shorter lists
--           norm=full_k: as norm=k, but every list counts with k items in common with itself
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- idle:     ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, segment
-- range:    [0, 2], higher is better
-- formula:  1 - (sum over items of c_i (c_i - 1)) / (C (n - 1)); norm=k: n k in place of C
-- tex:      1 - \frac{\sum_i c_i (c_i - 1)}{C\, (n - 1)}
-- symbols:  c_i: the number of lists that have item i
--           C: the sum of all c_i
--           n: the number of lists
-- source:   Zhou et al., PNAS 2010, doi:10.1073/pnas.1000488107
-- oracle:   reference
-- example:  personalization(k := 2) = 0.5
-- worked:   1 - (2 * 1 + 1 * 0 + 1 * 0) / (4 * (2 - 1)) = 0.5
-- influence: personalization_slopes
-- related:  coverage, gini, effective_catalog_size
SELECT
    system,
    segment,
    1 - CASE $norm
        WHEN 'full_k' THEN sum(CAST(n_lists AS DOUBLE) * n_lists) - $k * max(n_all_lists)
        ELSE sum(n_lists * (n_lists - 1e0))
    END / nullif(
        CASE $norm WHEN 'returned' THEN sum(n_lists) ELSE $k * max(n_all_lists) END * (max(n_all_lists) - 1e0), 0
    ) AS value
FROM item_lists
GROUP BY system, segment;
