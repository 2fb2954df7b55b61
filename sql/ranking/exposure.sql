-- name:     exposure
-- title:    Share of attention that a category gets
-- group:    Diversity
-- meaning:  Exposure is the share of the attention to the first k items that goes to items of one category, if users
--           look less at lower ranks.
-- use:      to compare what groups of items or providers get, or the same group in two systems
-- beware:   items of several categories count in full in each of them, so the shares can add up to more than 1
-- reading:  1: every item of the list is of the category
--           0: no item of the list is of the category
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           item_categories (item_id, category)
-- params:   category VARCHAR,
--           k INTEGER DEFAULT NULL CHECK (k > 0),
--           discount VARCHAR DEFAULT 'log2' CHECK (discount IN ('log2', 'none', 'geometric')),
--           patience DOUBLE DEFAULT 0.85 CHECK (patience > 0 AND patience < 1)
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   category: the category, as text
--           k: as in recall
--           discount: as in relations/ranking/categorized
--           patience: as in relations/ranking/categorized
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- idle:     patience WHEN discount <> 'geometric'
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], neither is better
-- formula:  sum of d(rank) over the first k items of the category / sum of d(rank) over the first k items
-- tex:      \mathrm{Exposure}_k(c) = \frac{\sum_{i \in L, c \in G_i} d(r_i)}{\sum_{i \in L} d(r_i)}, \qquad
--           d(r) = \frac{1}{\log_2(r + 1)}
-- symbols:  L: the first k items
--           c: the category
--           G_i: the categories of item i
--           r_i: the rank of item i
-- source:   Singh and Joachims, KDD 2018, doi:10.1145/3219819.3220088
-- oracle:   reference
-- example:  exposure(category := 'drama', k := 2) = 0.806574
-- worked:   q1: (1 / log2(2) + 1 / log2(3)) / (1 / log2(2) + 1 / log2(3)) = 1
--           q2: (1 / log2(2)) / (1 / log2(2) + 1 / log2(3)) = 0.6131
-- related:  category_entropy, miscalibration
SELECT
    system,
    query_id,
    coalesce(sum(CASE WHEN category = $category THEN weight END) FILTER (WHERE rank <= coalesce($k, rank)), 0e0)
        / nullif(
            sum(CASE WHEN coalesce(number, 1) = 1 THEN weight END) FILTER (WHERE rank <= coalesce($k, rank)), 0
        ) AS value
FROM categorized
GROUP BY system, query_id;
