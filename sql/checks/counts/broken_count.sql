-- name:     broken_count
-- title:    counts with a fraction
-- severity: warning
-- why:      the test is for numbers of observations, not for shares or averages
-- column:   counts.observed
-- inputs:   counts (observed)
-- advice:   the test is for counts; for shares or weights its p-value is meaningless
SELECT observed
FROM counts
WHERE observed <> floor(observed);
