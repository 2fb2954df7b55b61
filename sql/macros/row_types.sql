-- name:     row_types
-- title:    Types of the label, score, weight and group of rows; a missing column has the type "NULL"
-- params:   source VARCHAR,
--           label DOUBLE,
--           score DOUBLE,
--           weight DOUBLE DEFAULT NULL,
--           group_id VARCHAR DEFAULT NULL
-- note:     one row, even if the table has no rows; DuckDB 1.4 forgets the type "NULL" between two steps
SELECT
    typeof($label) AS label_type,
    typeof($score) AS score_type,
    typeof($weight) AS weight_type,
    typeof($group_id) AS group_type,
    list_of_columns(typeof(struct_pack(*COLUMNS('.')))) AS found
FROM (SELECT NULL AS "_duckmetrics_none") AS none
LEFT JOIN (SELECT * FROM query($source) LIMIT 1) AS given ON TRUE;
