-- name:     few_cells
-- title:    a table with fewer than two rows or columns
-- severity: error
-- why:      with only one row or one column, there is no dependence to test
-- inputs:   cells (row_value, column_value, n)
-- advice:   the test needs at least two rows and two columns
SELECT count(DISTINCT row_value) AS n_rows, count(DISTINCT column_value) AS n_columns
FROM cells
WHERE n > 0
HAVING count(DISTINCT row_value) < 2 OR count(DISTINCT column_value) < 2;
