-- name:     unit_vectors
-- title:    Vectors of the items, each divided by its length
-- inputs:   item_vectors (item_id, dimension, value)
-- grain:    item_id, dimension
-- note:     a vector of zeros has no direction, and no row; the first division, by the largest number of the vector,
--           keeps the squares from overflow; first_dimension is one of the dimensions of the item, so that its rows
--           count items
WITH largest AS (
    SELECT item_id, max(abs(value)) AS largest
    FROM item_vectors
    GROUP BY item_id
),
scaled AS (
    SELECT item_vectors.item_id, item_vectors.dimension, item_vectors.value / largest.largest AS value
    FROM item_vectors
    JOIN largest ON largest.item_id = item_vectors.item_id
    WHERE largest.largest > 0 AND isfinite(largest.largest)
),
norms AS (
    SELECT item_id, sqrt(sum(value * value)) AS norm, min(dimension) AS first_dimension
    FROM scaled
    GROUP BY item_id
)
SELECT scaled.item_id, scaled.dimension, scaled.value / norms.norm AS value, norms.first_dimension
FROM scaled
JOIN norms ON norms.item_id = scaled.item_id;
