-- name:     sum
-- title:    Sum over queries
-- inputs:   query_values (system, segment, query_id, value, weight)
-- grain:    system, segment
-- params:   weighted BOOLEAN DEFAULT FALSE
-- values:   weighted: as in mean
-- formula:  sum of the values, or of weight * value
SELECT system, segment, CASE WHEN $weighted THEN sum(weight * value) ELSE sum(value) END AS value
FROM query_values
GROUP BY system, segment;
