-- name:     bad_population
-- title:    Table of queries that has no rows, or ids of another type than the truth
-- inputs:   truth (query_id), population (query_id)
-- params:   population VARCHAR DEFAULT 'truth'
SELECT 'population: no rows; check it, or choose truth, predictions or both' AS problem
WHERE population_word($population) = 'table'
    AND NOT EXISTS (SELECT 1 FROM population)
UNION ALL
SELECT
    'query_id: the population has ' || listed_query || ', the truth has ' || judged_query
    || '; make them one kind with a CAST' AS problem
FROM (
    SELECT
        (SELECT typeof(query_id) FROM truth LIMIT 1) AS judged_query,
        (SELECT typeof(query_id) FROM population LIMIT 1) AS listed_query
) AS found
WHERE are_mixed(listed_query, judged_query);
