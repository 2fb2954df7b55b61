-- name:     idle_column
-- title:    columns of the table that are all 0
-- severity: warning
-- why:      the column is left out, which lowers the degrees of freedom
-- column:   cells.column_value
-- inputs:   cells (column_value, n)
-- advice:   they are left out, and df counts the others
SELECT column_value
FROM cells
GROUP BY column_value
HAVING sum(n) = 0;
