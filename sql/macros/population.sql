-- name:     population
-- title:    Queries to evaluate, if a table lists them
-- inputs:   truth (query_id)
-- params:   source VARCHAR,
--           population VARCHAR DEFAULT 'truth',
--           query_id VARCHAR DEFAULT 'query_id'
-- grain:    query_id
SELECT
    of_kind(
        query_id, $query_id, 'population', 'truth', typeof((SELECT query_id FROM truth LIMIT 1)), 'query_id := ...'
    ) AS query_id
FROM (
    SELECT coalesce(*COLUMNS(one_of($query_id))) AS query_id
    FROM (SELECT *, NULL AS "_duckmetrics_none" FROM query($source)) AS given
) AS named
WHERE population_word($population) = 'table';
