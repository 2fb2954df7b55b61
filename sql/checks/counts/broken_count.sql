-- name:     broken_count
-- title:    counts that are no whole numbers
-- severity: warning
-- why:      the test is for numbers of observations, not for shares or averages
-- column:   counts.observed
-- inputs:   counts (observed)
-- advice:   the test is about counts; of shares or weights its p-value means nothing
SELECT observed
FROM counts
WHERE observed <> floor(observed);
