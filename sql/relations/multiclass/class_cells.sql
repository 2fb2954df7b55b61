-- name:     class_cells
-- title:    Rows with each of their classes: whether it is the right one, and its score
-- inputs:   class_rows (row_id, actual, class_names, class_scores)
-- portable: no, lists of scores are unnested in DuckDB
-- grain:    row_id, class
-- note:     label is 1 for the right class, else 0; place is known for the right class and for the first one
WITH listed AS (
    SELECT
        row_id, actual, right_class, first_class, right_place,
        unnest(range(1, length(class_scores) + 1)) AS class_number,
        unnest(class_scores) AS score,
        unnest(class_names) AS class
    FROM placed_rows
)
SELECT
    row_id, actual, class,
    CASE WHEN class_number = right_class THEN 1e0 ELSE 0e0 END AS label,
    score,
    CASE WHEN class_number = right_class THEN right_place WHEN class_number = first_class THEN 1 END AS place
FROM listed;
