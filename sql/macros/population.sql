-- name:     population
-- title:    Queries to evaluate, if a table lists them
-- inputs:   truth (query_id)
-- params:   source VARCHAR,
--           population VARCHAR DEFAULT 'truth',
--           query_id VARCHAR DEFAULT 'query_id'
-- grain:    query_id
SELECT of_kind(query_id, $query_id, 'population', 'truth', typeof((SELECT query_id FROM truth LIMIT 1))) AS query_id
FROM (SELECT COLUMNS('(?i)^' || regexp_escape($query_id) || '$') AS query_id FROM query($source)) AS given
WHERE population_word($population) = 'table';
