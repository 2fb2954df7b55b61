-- name:     list_vectors
-- title:    Sums of the unit vectors of each list
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           item_vectors (item_id, dimension, value)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           no_vector VARCHAR DEFAULT 'skip' CHECK (no_vector IN ('skip', 'distant'))
-- values:   k: as in ranking/recall
--           no_vector=skip: an item without a vector, or with zeros only, is left out
--           no_vector=distant: an item without a vector has the cosine 0 to all others
-- grain:    system, query_id, dimension
-- note:     the items without a vector are in the row with dimension NULL; the sum of n_items is the number of items
--           that count, and that of n_vectors the number of those with a vector
SELECT
    ranked.system,
    ranked.query_id,
    unit_vectors.dimension,
    sum(unit_vectors.value) AS total,
    count(CASE WHEN unit_vectors.dimension = unit_vectors.first_dimension THEN 1 END) AS n_vectors,
    count(CASE
        WHEN unit_vectors.dimension = unit_vectors.first_dimension
            OR (unit_vectors.dimension IS NULL AND $no_vector = 'distant')
        THEN 1
    END) AS n_items
FROM ranked
LEFT JOIN unit_vectors ON unit_vectors.item_id = ranked.item_id
WHERE $k IS NULL OR ranked.rank <= $k
GROUP BY ranked.system, ranked.query_id, unit_vectors.dimension;
