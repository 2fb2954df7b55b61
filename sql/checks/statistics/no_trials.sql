-- name:     no_trials
-- title:    rows without trials
-- severity: error
-- why:      without trials there is no proportion
-- column:   given_rows.n
-- inputs:   given_rows (hits, n)
-- advice:   leave them out
-- note:     more_hits reports rows with more hits than trials
SELECT *
FROM given_rows
WHERE n <= 0 AND NOT hits > n;
