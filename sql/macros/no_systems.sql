-- name:     no_systems
-- title:    Comparison without a column of systems
-- params:   system VARCHAR DEFAULT NULL
SELECT 'system is missing; name the column with system := ...' AS problem
WHERE $system IS NULL;
