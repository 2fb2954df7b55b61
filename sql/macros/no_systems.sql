-- name:     no_systems
-- title:    A comparison for which nothing tells the systems apart
-- params:   system VARCHAR DEFAULT NULL
SELECT 'system is missing; name the column with system := ...' AS problem
WHERE $system IS NULL;
