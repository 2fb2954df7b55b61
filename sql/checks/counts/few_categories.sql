-- name:     few_categories
-- title:    fewer than two categories with an expectation
-- severity: error
-- why:      with one category, nothing can differ from the expectation
-- inputs:   counts (observed, expected)
-- advice:   the test needs at least two categories
SELECT count(*) AS categories
FROM counts
WHERE observed > 0 OR expected > 0
HAVING count(*) < 2;
