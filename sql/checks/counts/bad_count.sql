-- name:     bad_count
-- title:    rows whose count is missing, negative, NaN or infinite
-- severity: error
-- why:      such a count cannot be compared with its expectation
-- column:   counts.observed
-- inputs:   counts (observed)
-- advice:   a count is a number of 0 or more; correct them
SELECT observed
FROM counts
WHERE (observed >= 0 AND observed < CAST('inf' AS DOUBLE)) IS NOT TRUE;
