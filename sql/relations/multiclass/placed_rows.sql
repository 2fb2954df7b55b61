-- name:     placed_rows
-- title:    Rows with the number of their first class, and the number and the place of their right class
-- inputs:   class_rows (row_id, actual, class_names, class_scores)
-- portable: no, lists of scores are searched in DuckDB
-- grain:    row_id
-- note:     of classes with equal scores, the one that is named first comes first
WITH found AS (
    SELECT
        row_id, actual, class_names, class_scores,
        list_position(class_scores, list_max(class_scores)) AS first_class,
        list_position(class_names, actual) AS right_class
    FROM class_rows
)
SELECT
    row_id, actual, class_names, class_scores, first_class, right_class,
    1 + length(list_filter(class_scores, lambda score: score > class_scores[right_class]))
        + length(list_filter(class_scores[1:right_class - 1], lambda score: score = class_scores[right_class]))
        AS right_place
FROM found;
