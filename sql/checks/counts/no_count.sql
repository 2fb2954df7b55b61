-- name:     no_count
-- title:    nothing was observed, all counts are 0
-- severity: error
-- why:      without observations there is nothing to test
-- inputs:   counts (observed)
-- advice:   check the counts
SELECT sum(observed) AS total
FROM counts
HAVING sum(observed) = 0;
