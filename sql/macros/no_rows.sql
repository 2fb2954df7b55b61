-- name:     no_rows
-- title:    Tables that hold no row
-- inputs:   truth (query_id), population (query_id)
-- params:   population VARCHAR DEFAULT 'truth'
SELECT 'truth: no rows; check how it was exported' AS problem
WHERE NOT EXISTS (SELECT 1 FROM truth)
UNION ALL
SELECT 'population: no rows; check it, or choose truth, predictions or both' AS problem
WHERE population_word($population) = 'table'
    AND NOT EXISTS (SELECT 1 FROM population);
