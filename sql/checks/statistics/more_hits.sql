-- name:     more_hits
-- title:    rows with more hits than trials
-- severity: error
-- why:      a proportion is at most 1
-- column:   given_rows.hits
-- inputs:   given_rows (hits, n)
-- advice:   check whether hits and n are swapped
SELECT *
FROM given_rows
WHERE hits > n;
