-- name:     mean
-- title:    Arithmetic mean over queries
-- inputs:   query_values (system, segment, query_id, value, weight)
-- grain:    system, segment
-- params:   weighted BOOLEAN DEFAULT FALSE
-- values:   weighted: whether queries count by their weight, as where a call names one
-- formula:  sum of the values / their number; of queries with weights: sum of weight * value / sum of the weights
SELECT
    system,
    segment,
    CASE WHEN $weighted
        THEN sum(weight * value) / nullif(sum(CASE WHEN value IS NOT NULL THEN weight END), 0)
        ELSE avg(value) END AS value
FROM query_values
GROUP BY system, segment;
