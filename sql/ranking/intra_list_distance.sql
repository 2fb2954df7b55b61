-- name:     intra_list_distance
-- alias:    ild
-- title:    Distance between the vectors of the recommended items
-- group:    Diversity
-- meaning:  Intra-list distance is 1 minus the cosine of the vectors of two of the first k items, on average over all
--           pairs of items.
-- use:      to measure how different the items of a list are, with embeddings or features of the items
-- beware:   it depends on the vectors; a system that is trained on them can look more or less diverse than it is
-- reading:  0: all vectors have the same direction
--           1: the vectors are at right angles to each other, on average
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           item_vectors (item_id, dimension, value)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           divide_by VARCHAR DEFAULT 'pairs' CHECK (divide_by IN ('pairs', 'items')),
--           single VARCHAR DEFAULT 'null' CHECK (single IN ('null', 'zero')),
--           no_vector VARCHAR DEFAULT 'skip' CHECK (no_vector IN ('skip', 'distant'))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           divide_by: as in category_distance
--           single: as in category_distance
--           no_vector: as in relations/ranking/list_vectors
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- depth:    k
-- grain:    system, query_id
-- range:    [0, inf), higher is better
-- formula:  1 - (|S|^2 - n) / (n (n - 1)), S the sum of the unit vectors of the n first items
-- tex:      \mathrm{ILD}_k = \frac{2}{n (n - 1)} \sum_{i < j} (1 - \cos(v_i, v_j))
--           = 1 - \frac{\lVert S \rVert^2 - n}{n (n - 1)}
-- symbols:  n: the number of the first k items that have a vector
--           v_i: the vector of item i
--           S: the sum of the vectors of the items, each divided by its length
-- source:   Zhang and Hurley, RecSys 2008, doi:10.1145/1454008.1454030
-- oracle:   reference
-- example:  intra_list_distance(k := 2) = 1.5
-- worked:   q1: 1 - ((1 ** 2 + 1 ** 2) - 2) / (2 * (2 - 1)) = 1
--           q2: 1 - ((1 - 1) ** 2 - 2) / (2 * (2 - 1)) = 2
-- related:  intra_list_similarity, category_distance
-- note:     items without a vector, or with zeros only, are left out, unless no_vector=distant
SELECT
    system,
    query_id,
    CASE
        WHEN sum(n_items) < 2 THEN CASE $single WHEN 'zero' THEN 0e0 END
        WHEN $divide_by = 'pairs'
            THEN 1 - (coalesce(sum(total * total), 0) - sum(n_vectors)) / sum(n_items) / (sum(n_items) - 1)
        ELSE (sum(n_items) - 1 - (coalesce(sum(total * total), 0) - sum(n_vectors)) / sum(n_items)) / 2
    END AS value
FROM list_vectors
GROUP BY system, query_id;
