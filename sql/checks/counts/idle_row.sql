-- name:     idle_row
-- title:    rows of the table that are all 0
-- severity: warning
-- why:      the row is left out, which lowers the degrees of freedom
-- column:   cells.row_value
-- inputs:   cells (row_value, n)
-- advice:   they are left out, and df counts the others
SELECT row_value
FROM cells
GROUP BY row_value
HAVING sum(n) = 0;
