-- name:     broken_cell
-- title:    counts with a fraction
-- severity: warning
-- why:      the test is for numbers of cases, not for shares or averages
-- column:   cells.n
-- inputs:   cells (row_value, column_value, n)
-- advice:   the test is for counts; for shares or weights its p-value is meaningless
SELECT row_value, column_value, n
FROM cells
WHERE n <> floor(n);
