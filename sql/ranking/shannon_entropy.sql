-- name:     shannon_entropy
-- alias:    distributional_coverage
-- title:    Shannon entropy of the recommended items
-- group:    All lists of a system
-- meaning:  Shannon entropy reports how evenly the recommendations spread over items: it is the entropy of the item of
--           a recommendation that is drawn at random.
-- use:      to compare the variety of two systems on the same users, when the size of the catalogue does not matter
-- beware:   it grows with the number of items in the lists, so compare systems at one cut-off, or use scale=max
-- reading:  0: all lists have the same item only
--           10: the recommendations are as varied as with 1024 equally frequent items
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), items (item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           unit VARCHAR DEFAULT 'bits' CHECK (unit IN ('bits', 'nats')),
--           scale VARCHAR DEFAULT 'none' CHECK (scale IN ('none', 'items', 'max')),
--           weights VARCHAR DEFAULT 'items' CHECK (weights IN ('items', 'lists'))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           unit: as in relations/ranking/entropy_items
--           scale: as in relations/ranking/entropy_items
--           weights: as in relations/ranking/item_lists
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- idle:     unit WHEN scale = 'max'; ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, segment
-- range:    [0, inf), higher is better
-- formula:  -sum over items of p_i log2 p_i, p_i = c_i / C
-- tex:      -\sum_i p_i \log_2 p_i, \qquad p_i = \frac{c_i}{C}
-- symbols:  c_i: the number of lists that have item i
--           C: the sum of all c_i
-- source:   Shannon, Bell System Technical Journal 1948, doi:10.1002/j.1538-7305.1948.tb01338.x
-- oracle:   reference
-- example:  shannon_entropy(k := 2) = 1.5
-- worked:   -(2/4 * log2(2/4) + 1/4 * log2(1/4) + 1/4 * log2(1/4)) = 1.5
-- influence: entropy_slopes
-- few:      few_lists
-- related:  effective_catalog_size, gini, coverage
-- note:     the value rises towards that of all users as users are added, see the note of gini
SELECT
    system,
    segment,
    greatest(ln(sum(n_lists)) - sum(weight * ln(n_lists)) / sum(weight), 0e0) / nullif(max(divisor), 0) AS value
FROM entropy_items
GROUP BY system, segment;
