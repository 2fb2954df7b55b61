-- name:     gini
-- macro:    gini_at for gini
-- title:    Gini index of exposure
-- group:    All lists of a system
-- meaning:  The Gini index reports how unevenly the lists share the items of the catalogue.
-- use:      to find out whether a few items take most of the places
-- beware:   tools divide by n, n - 1 or n + 1, and take the catalogue or the recommended items only
-- reading:  0: every item is in as many lists as every other
--           0.9: a few items take nearly all places
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), items (item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           over VARCHAR DEFAULT 'catalog' CHECK (over IN ('catalog', 'recommended')),
--           denominator VARCHAR DEFAULT 'n' CHECK (denominator IN ('n', 'n_minus_1')),
--           padding INTEGER DEFAULT 0 CHECK (padding >= 0),
--           discount VARCHAR DEFAULT 'none' CHECK (discount IN ('none', 'log2', 'geometric')),
--           patience DOUBLE DEFAULT 0.85 CHECK (patience > 0 AND patience < 1)
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           over=catalog: an item of the catalogue in no list counts with exposure 0
--           over=recommended: only items in a list count
--           denominator=n: one item in all lists has the value 1 - 1 / n
--           denominator=n_minus_1: one item in all lists has the value 1
--           padding: as in relations/ranking/exposures
--           discount: as in relations/ranking/first_items
--           patience: as in relations/ranking/first_items
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- idle:     patience WHEN discount <> 'geometric'; ties WHEN k IS NULL AND discount = 'none';
--           scores WHEN k IS NULL AND discount = 'none'
-- depth:    k
-- grain:    system, segment
-- range:    [0, 1], lower is better
-- formula:  sum over items of (2 i - n - 1) c_i / (n C), the items sorted by c_i, ascending, and C their sum
-- tex:      \frac{\sum_{i=1}^{n} (2i - n - 1)\, c_i}{n \sum_{i=1}^{n} c_i}
-- symbols:  n: the number of items
--           c_i: the i-th smallest exposure: by default the number of lists that have the item
-- source:   Fleder and Hosanagar, Management Science 2009, doi:10.1287/mnsc.1080.0974
-- oracle:   reference
-- example:  gini(k := 2) = 0.583333
-- worked:   (3 * 1 + 5 * 2 + 1 * 1) / (6 * 4) = 0.583333
-- influence: gini_slopes
-- few:      few_lists
-- related:  evenness, coverage, shannon_entropy
-- note:     chance makes the lists of few users uneven: the value falls towards that of all users as users are added,
--           and intervals of 95 % contain that of all users less often: in a simulation, 86 % of them with 37
--           recommendations for each item, and 92 % with 125
SELECT
    system,
    segment,
    sum((2e0 * (n_items - n_listed + low_place) - n_items - 1) * exposure)
        / nullif(max(CASE $denominator WHEN 'n' THEN n_items ELSE n_items - 1 END) * sum(exposure), 0) AS value
FROM exposures
GROUP BY system, segment;
