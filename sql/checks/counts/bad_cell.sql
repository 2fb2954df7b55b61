-- name:     bad_cell
-- title:    rows whose count is missing, negative, NaN or infinite
-- severity: error
-- why:      such a count cannot be compared with an expectation
-- column:   cells.n
-- inputs:   cells (row_value, column_value, n)
-- advice:   a count is a number of 0 or more; correct them
SELECT row_value, column_value, n
FROM cells
WHERE (n >= 0 AND n < CAST('inf' AS DOUBLE)) IS NOT TRUE;
