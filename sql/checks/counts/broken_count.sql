-- name:     broken_count
-- title:    counts that are no whole numbers
-- severity: warning
-- column:   counts.observed
-- inputs:   counts (observed)
-- advice:   the test is about counts; of shares or weights its p-value means nothing
SELECT observed
FROM counts
WHERE observed <> floor(observed);
