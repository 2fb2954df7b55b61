-- name:     no_data
-- title:    Data without rows
-- inputs:   predictions (label)
SELECT 'data: no rows; check how it was exported' AS problem
WHERE NOT EXISTS (SELECT 1 FROM predictions);
