-- name:     unusable_vector
-- title:    items whose vector has another length than most, or a NULL, NaN or infinite number
-- for:      item_vectors
-- severity: error
-- why:      the distance to such an item is wrong, because missing numbers would count as 0
-- column:   items.vector
-- inputs:   item_vectors (item_id, dimension, value)
-- advice:   give each item a vector of the same length without such numbers, or NULL if it has none
-- note:     unusable is the number of values that are NULL, NaN or infinite
WITH sizes AS (
    SELECT
        item_id,
        count(dimension) AS length,
        count(CASE WHEN value IS NULL OR isnan(value) OR isinf(value) THEN 1 END) AS unusable
    FROM item_vectors
    GROUP BY item_id
),
lengths AS (
    SELECT length, row_number() OVER (ORDER BY count(length) DESC, length) AS place
    FROM sizes
    GROUP BY length
)
SELECT sizes.item_id, sizes.length, lengths.length AS usual_length, sizes.unusable
FROM sizes
JOIN lengths ON lengths.place = 1
WHERE sizes.unusable > 0 OR sizes.length <> lengths.length;
