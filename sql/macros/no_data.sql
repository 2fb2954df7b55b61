-- name:     no_data
-- title:    Data that hold no row
-- inputs:   predictions (label)
SELECT 'data: no rows; check how they were exported' AS problem
WHERE NOT EXISTS (SELECT 1 FROM predictions);
