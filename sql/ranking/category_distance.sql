-- name:     category_distance
-- alias:    ild_hamming
-- title:    Distance between the categories of the recommended items
-- group:    Diversity
-- meaning:  Category distance is the number of categories in which two of the first k items differ, on average over
--           all pairs of items.
-- use:      to compare the diversity of lists whose items have several categories each
-- beware:   items with many categories differ in more of them, so the value depends on how finely a catalogue is
--           labeled
-- reading:  0: all items have the same categories
--           2: with one category for each item, no two items share one
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           item_categories (item_id, category)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           divide_by VARCHAR DEFAULT 'pairs' CHECK (divide_by IN ('pairs', 'items')),
--           single VARCHAR DEFAULT 'null' CHECK (single IN ('null', 'zero'))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           divide_by=pairs: the sum over pairs is divided by the number of pairs
--           divide_by=items: the sum over pairs is divided by the number of items
--           single=null: a list of fewer than two items has no value
--           single=zero: a list of fewer than two items has the value 0
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- depth:    k
-- grain:    system, query_id
-- range:    [0, inf), higher is better
-- formula:  sum over categories c of 2 f_c (n - f_c) / (n (n - 1)), f_c of the n first items have category c
-- tex:      \mathrm{ILD}_k = \frac{2}{n (n - 1)} \sum_{c} f_c (n - f_c)
-- symbols:  n: the number of the first k items
--           f_c: the number of them that have category c
-- source:   Ziegler, McNee, Konstan and Lausen, WWW 2005, doi:10.1145/1060745.1060754
-- oracle:   reference
-- example:  category_distance(k := 2) = 1.5
-- worked:   q1: 2 * 1 * (2 - 1) / (2 * (2 - 1)) = 1
--           q2: (2 * 1 * (2 - 1) + 2 * 1 * (2 - 1)) / (2 * (2 - 1)) = 2
-- related:  category_diversity, intra_list_distance
-- note:     an item without a category differs from another item in all categories of that item
SELECT
    system,
    query_id,
    CASE
        WHEN sum(n_first) < 2 THEN CASE $single WHEN 'zero' THEN 0e0 END
        ELSE (CAST(sum(n_first) AS DOUBLE) * sum(CASE WHEN category IS NOT NULL THEN n_items ELSE 0 END)
            - sum(CASE WHEN category IS NOT NULL THEN n_items * n_items ELSE 0 END))
            / sum(n_first) / CASE $divide_by WHEN 'pairs' THEN (sum(n_first) - 1) / 2e0 ELSE 1 END
    END AS value
FROM list_categories
GROUP BY system, query_id;
