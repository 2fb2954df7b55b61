-- name:     population
-- title:    Queries to evaluate, if a table lists them
-- params:   source VARCHAR,
--           population VARCHAR DEFAULT 'truth',
--           query_id VARCHAR DEFAULT 'query_id'
-- grain:    query_id
SELECT COLUMNS('(?i)^' || regexp_escape($query_id) || '$') AS query_id
FROM query($source)
WHERE population_word($population) = 'table';
