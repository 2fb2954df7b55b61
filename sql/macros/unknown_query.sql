-- name:     unknown_query
-- title:    Query to explain that is not among those that count
-- inputs:   predictions (system, query_id), truth (query_id), population (query_id), asked_predictions (query_id)
-- params:   query VARCHAR DEFAULT NULL
SELECT
    'query ''' || $query || ''''
    || CASE
        WHEN EXISTS (SELECT 1 FROM asked_predictions)
            THEN ' has predictions, but is not among the queries that count; with population := ''predictions'', '
                || 'all answered queries count'
        ELSE ': no such query; a query of the truth is ' || CAST(judged.query_id AS VARCHAR)
    END AS problem
FROM (SELECT min(query_id) AS query_id FROM truth) AS judged
WHERE $query IS NOT NULL AND NOT EXISTS (SELECT 1 FROM queries);
