-- name:     row_types
-- title:    Types of the label, score, weight and group of rows; one that is not there has the type "NULL"
-- inputs:   given (label, score, weight, group_id, found)
-- note:     one row, also of a table without rows
SELECT
    typeof(given.label) AS label_type,
    typeof(given.score) AS score_type,
    typeof(given.weight) AS weight_type,
    typeof(given.group_id) AS group_type,
    list_of_columns(given.found) AS found
FROM (SELECT 1 AS one) AS one
LEFT JOIN (SELECT label, score, weight, group_id, found FROM given LIMIT 1) AS given ON TRUE;
