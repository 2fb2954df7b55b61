-- name:     idle_category
-- title:    categories neither expected nor observed
-- severity: warning
-- why:      the category is left out, which lowers the degrees of freedom
-- column:   counts.expected
-- inputs:   counts (observed, expected)
-- advice:   they are left out, and df counts the others
SELECT observed, expected
FROM counts
WHERE observed = 0 AND expected = 0;
