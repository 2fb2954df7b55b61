-- name:     category_entropy
-- title:    Entropy of the categories of the recommended items
-- group:    Diversity
-- meaning:  Category entropy shows how evenly the first k items are spread over categories, in bits.
-- use:      to see whether one category dominates the list, where category_diversity only counts categories
-- beware:   its largest value is the logarithm of the number of categories, so compare on one catalogue only
-- reading:  0: all items are of one category
--           1: as even as two categories with half of the items each
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           item_categories (item_id, category)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           discount VARCHAR DEFAULT 'none' CHECK (discount IN ('none', 'log2', 'geometric')),
--           patience DOUBLE DEFAULT 0.85 CHECK (patience > 0 AND patience < 1),
--           smoothing DOUBLE DEFAULT 0 CHECK (smoothing >= 0)
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           discount: as in relations/ranking/categorized
--           patience: as in relations/ranking/categorized
--           smoothing: a weight that every category of the catalogue gets in addition
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- idle:     patience WHEN discount <> 'geometric'
-- depth:    k
-- grain:    system, query_id
-- range:    [0, inf), higher is better
-- formula:  - sum over categories c of q_c log2(q_c), q_c the share of c in the weights of the first k items
-- tex:      H_k = - \sum_{c} q_c \log_2 q_c
-- symbols:  q_c: the share of category c; each item spreads the weight 1 over its categories
-- source:   Shannon, Bell System Technical Journal 1948, doi:10.1002/j.1538-7305.1948.tb01338.x
-- oracle:   reference
-- example:  category_entropy(k := 2) = 0.905639
-- worked:   q1: -(1.5 / 2) * log2(1.5 / 2) - (0.5 / 2) * log2(0.5 / 2) = 0.8113
--           q2: -2 * (1 / 2) * log2(1 / 2) = 1
-- related:  category_diversity, category_distance, miscalibration
-- note:     items without a category are left out; a list without categories has no value, or with smoothing that
--           of equal weights
SELECT
    system,
    query_id,
    CASE
        WHEN $smoothing > 0 THEN
            ln(nullif(coalesce(sum(weight), 0) + $smoothing * max(n_all), 0))
            - (coalesce(sum((weight + $smoothing) * ln(weight + $smoothing)), 0)
                + (max(n_all) - count(category)) * $smoothing * ln($smoothing))
                / nullif(coalesce(sum(weight), 0) + $smoothing * max(n_all), 0)
        -- One category has exactly 0.
        WHEN count(category) = 1 THEN 0
        ELSE ln(sum(weight)) - sum(CASE WHEN weight > 0 THEN weight * ln(weight) END) / sum(weight)
    END / ln(2) AS value
FROM list_categories
GROUP BY system, query_id;
