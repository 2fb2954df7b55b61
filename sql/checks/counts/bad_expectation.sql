-- name:     bad_expectation
-- title:    rows whose expectation is missing, negative, NaN or infinite
-- severity: error
-- why:      such an expectation cannot be compared with a count
-- column:   counts.expected
-- inputs:   counts (observed, expected)
-- advice:   give every category a count or share of 0 or more, or none of them
SELECT observed, expected
FROM counts
WHERE (expected >= 0 AND expected < CAST('inf' AS DOUBLE)) IS NOT TRUE;
