-- name:     no_rows
-- title:    Tables without rows
-- inputs:   predictions (query_id), truth (query_id)
SELECT 'truth: no rows; check how it was exported' AS problem
WHERE NOT EXISTS (SELECT 1 FROM truth)
UNION ALL
SELECT 'predictions: no rows; check how it was exported' AS problem
WHERE NOT EXISTS (SELECT 1 FROM predictions);
