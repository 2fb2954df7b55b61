-- name:     not_compared
-- title:    Metrics that a macro does not compare, and why
-- inputs:   specs (metric, without)
SELECT '''' || metric || ''' is not compared here: ' || without AS problem
FROM specs
WHERE without IS NOT NULL;
