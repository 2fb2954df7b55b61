-- name:     sum
-- title:    Sum over queries
-- inputs:   evaluated (system, segment, query_id, value)
-- grain:    system, segment
-- formula:  sum of the values
SELECT system, segment, sum(value) AS value
FROM evaluated
GROUP BY system, segment;
