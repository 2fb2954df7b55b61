-- name:     no_cell
-- title:    nothing was observed, all counts are 0
-- severity: error
-- why:      without cases there is nothing to test
-- inputs:   cells (n)
-- advice:   check the counts
SELECT sum(n) AS total
FROM cells
HAVING sum(n) = 0;
