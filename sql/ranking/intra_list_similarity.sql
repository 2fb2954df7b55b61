-- name:     intra_list_similarity
-- alias:    ils
-- title:    Similarity of the vectors of the recommended items
-- group:    Diversity
-- meaning:  Intra-list similarity is the cosine of the vectors of two of the first k items, on average over all pairs
--           of items.
-- use:      to measure how alike the items of a list are, with embeddings or features of the items
-- beware:   it depends on the vectors, and a low value can mean a list of unrelated items
-- reading:  1: all vectors have the same direction
--           0: the vectors are at right angles to each other, on average
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           item_vectors (item_id, dimension, value)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           single VARCHAR DEFAULT 'null' CHECK (single IN ('null', 'one')),
--           no_vector VARCHAR DEFAULT 'skip' CHECK (no_vector IN ('skip', 'distant'))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           single=null: as in category_distance
--           single=one: a list of fewer than two items has the value 1
--           no_vector: as in relations/ranking/list_vectors
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- depth:    k
-- grain:    system, query_id
-- range:    [-1, 1], lower is better
-- formula:  (|S|^2 - n) / (n (n - 1)), S the sum of the unit vectors of the n first items
-- tex:      \mathrm{ILS}_k = \frac{\lVert S \rVert^2 - n}{n (n - 1)}
-- symbols:  n: the number of the first k items that have a vector
--           S: the sum of the vectors of the items, each divided by its length
-- source:   Ziegler, McNee, Konstan and Lausen, WWW 2005, doi:10.1145/1060745.1060754
-- oracle:   reference
-- example:  intra_list_similarity(k := 2) = -0.5
-- worked:   q1: ((1 ** 2 + 1 ** 2) - 2) / (2 * (2 - 1)) = 0
--           q2: ((1 - 1) ** 2 - 2) / (2 * (2 - 1)) = -1
-- related:  intra_list_distance, category_distance
-- note:     1 - intra_list_distance
SELECT
    system,
    query_id,
    CASE
        WHEN sum(n_items) < 2 THEN CASE $single WHEN 'one' THEN 1e0 END
        ELSE (coalesce(sum(total * total), 0) - sum(n_vectors)) / sum(n_items) / (sum(n_items) - 1)
    END AS value
FROM list_vectors
GROUP BY system, query_id;
