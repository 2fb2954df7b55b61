-- name:     few_cells
-- title:    a table with fewer than two rows or columns
-- severity: error
-- why:      with one row or column, nothing can depend on it
-- inputs:   cells (row_value, column_value, n)
-- advice:   a test compares two or more of each
SELECT count(DISTINCT row_value) AS n_rows, count(DISTINCT column_value) AS n_columns
FROM cells
WHERE n > 0
HAVING count(DISTINCT row_value) < 2 OR count(DISTINCT column_value) < 2;
