-- name:     sum
-- title:    Sum over queries
-- inputs:   query_values (system, segment, query_id, value)
-- grain:    system, segment
-- formula:  sum of the values
SELECT system, segment, sum(value) AS value
FROM query_values
GROUP BY system, segment;
