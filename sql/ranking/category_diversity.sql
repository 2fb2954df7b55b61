-- name:     category_diversity
-- title:    Number of categories among the recommended items
-- group:    Diversity
-- meaning:  Category diversity is the number of distinct categories of the first k items, divided by k.
-- use:      to find lists that show one kind of item only
-- beware:   one item of each category is enough for a high value, however many other items share a category; a list
--           shorter than k can not reach 1 with one category for each item
-- reading:  1: with one category for each item, no two items share one
--           0.1: ten items of one category, at k = 10
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           item_categories (item_id, category)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           norm VARCHAR DEFAULT 'k' CHECK (norm IN ('k', 'returned', 'none'))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           norm=k: the number is divided by k, or by the returned items without k
--           norm=returned: the number is divided by the returned items
--           norm=none: the number itself
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- depth:    k
-- grain:    system, query_id
-- range:    [0, inf), higher is better
-- formula:  the number of distinct categories of the first k items / k
-- tex:      \mathrm{CD}_k = \frac{1}{k} \left| \bigcup_{i \in L} G_i \right|
-- symbols:  L: the first k items
--           G_i: the categories of item i
--           k: the cut-off; by default the length of the list
-- source:   Zhai, Cohen and Lafferty, SIGIR 2003, doi:10.1145/860435.860440
-- oracle:   reference
-- example:  category_diversity(k := 2) = 1
-- worked:   q1: (1 + 1) / 2 = 1
--           q2: (1 + 1) / 2 = 1
-- related:  category_entropy, category_distance
SELECT
    system,
    query_id,
    CAST(count(category) AS DOUBLE)
        / CASE $norm WHEN 'none' THEN 1 WHEN 'k' THEN coalesce($k, sum(n_first)) ELSE sum(n_first) END AS value
FROM list_categories
GROUP BY system, query_id;
