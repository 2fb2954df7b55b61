-- name:     impossible_category
-- title:    categories observed although none is expected
-- severity: error
-- why:      one such observation alone contradicts the expectation
-- column:   counts.expected
-- inputs:   counts (observed, expected)
-- advice:   no test is needed to reject such a hypothesis; give them a share, or leave them out
SELECT observed, expected
FROM counts
WHERE observed > 0 AND expected = 0;
