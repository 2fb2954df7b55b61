-- name:     effective_catalog_size
-- alias:    ecs
-- title:    Effective size of the catalogue
-- group:    All lists of a system
-- meaning:  The effective size of the catalogue is the number of equally frequent items that would spread the
--           recommendations as widely as the lists do.
-- use:      to report the variety of recommendations as a number of items, which everybody understands
-- beware:   it depends on the number of lists, because more lists can hold more items
-- reading:  1: all lists have the same item only
--           500: the recommendations are as varied as with 500 items that are recommended equally often
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), items (item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           kind VARCHAR DEFAULT 'rank' CHECK (kind IN ('rank', 'entropy')),
--           over VARCHAR DEFAULT 'recommended' CHECK (over IN ('recommended', 'catalog'))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           kind=rank: an item counts by its place among the most recommended items
--           kind=entropy: the value is e to the power of the entropy
--           over=recommended: every item in a list counts
--           over=catalog: an item in a list counts only if it is in the catalogue
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- idle:     ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, segment
-- range:    [1, inf), higher is better
-- formula:  2 * sum over i of i p_i - 1, p_i the share of the recommendations of the i-th most recommended item
-- tex:      2 \sum_i i\, p_i - 1, \qquad p_1 \ge p_2 \ge \ldots
-- symbols:  p_i: the share of all recommendations that the i-th most recommended item has
-- source:   Gomez-Uribe and Hunt, ACM TMIS 2015, doi:10.1145/2843948
-- oracle:   reference
-- example:  effective_catalog_size(k := 2) = 2.5
-- worked:   2 * (1 * 2/4 + 2 * 1/4 + 3 * 1/4) - 1 = 2.5
-- influence: catalog_size_slopes
-- few:      few_lists
-- related:  shannon_entropy, coverage, gini
-- note:     the value rises towards that of all users as users are added, see the note of gini
SELECT
    system,
    segment,
    CASE $kind
        WHEN 'rank' THEN 2 * sum((n_listed - low_place + 1) * exposure) / sum(exposure) - 1
        ELSE greatest(exp(ln(sum(exposure)) - sum(exposure * ln(exposure)) / sum(exposure)), 1e0)
    END AS value
FROM exposures
GROUP BY system, segment;
