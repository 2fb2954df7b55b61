-- name:     no_rows
-- title:    A truth that holds no row
-- inputs:   truth (query_id)
SELECT 'truth: no rows; check how it was exported' AS problem
WHERE NOT EXISTS (SELECT 1 FROM truth);
