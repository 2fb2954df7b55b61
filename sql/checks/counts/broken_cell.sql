-- name:     broken_cell
-- title:    counts that are no whole numbers
-- severity: warning
-- why:      the test is for numbers of cases, not for shares or averages
-- column:   cells.n
-- inputs:   cells (row_value, column_value, n)
-- advice:   the test is about counts; of shares or weights its p-value means nothing
SELECT row_value, column_value, n
FROM cells
WHERE n <> floor(n);
