-- name:     mean
-- title:    Arithmetic mean over queries
-- inputs:   query_values (system, segment, query_id, value)
-- grain:    system, segment
-- formula:  sum of the values / their number
SELECT system, segment, avg(value) AS value
FROM query_values
GROUP BY system, segment;
