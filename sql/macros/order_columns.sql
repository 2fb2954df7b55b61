-- name:     order_columns
-- title:    Columns of the predictions that may order the items, for their types only
-- params:   source VARCHAR
-- grain:    row
-- note:     the type has the columns that exist, and at its end one that always exists; no row is read
SELECT struct_pack(*COLUMNS('(?i)^(score|rank|_duckmetrics_none)$')) AS order_columns
FROM (SELECT *, FALSE AS "_duckmetrics_none" FROM query($source)) AS given;
