-- name:     missing_row_value
-- title:    rows without a value
-- severity: error
-- why:      the count belongs to no row of the table
-- column:   cells.row_value
-- inputs:   cells (row_value, column_value, n)
-- advice:   leave them out, or give them a name, as in "SELECT * REPLACE (coalesce(x, 'none') AS x) FROM ..."
SELECT row_value, column_value, n
FROM cells
WHERE row_value IS NULL;
