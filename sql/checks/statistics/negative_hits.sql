-- name:     negative_hits
-- title:    rows with fewer than 0 hits
-- severity: error
-- why:      a proportion is at least 0
-- column:   given_rows.hits
-- inputs:   given_rows (hits)
-- advice:   count them again
SELECT *
FROM given_rows
WHERE hits < 0;
