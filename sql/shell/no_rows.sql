-- name:     no_rows
-- title:    Tables that hold no row
SELECT 'truth: no rows; check how it was exported' AS problem
WHERE NOT EXISTS (SELECT 1 FROM truth);
