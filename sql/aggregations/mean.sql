-- name:     mean
-- title:    Arithmetic mean over queries
-- inputs:   evaluated (system, segment, query_id, value)
-- grain:    system, segment
-- formula:  sum of the values / their number
SELECT system, segment, avg(value) AS value
FROM evaluated
GROUP BY system, segment;
