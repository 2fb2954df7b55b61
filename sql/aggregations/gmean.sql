-- name:     gmean
-- title:    Geometric mean over queries
-- inputs:   query_values (system, segment, query_id, value)
-- grain:    system, segment
-- interval: log
-- formula:  exp(mean of ln(max(value, 0.00001))), the floor of trec_eval
SELECT
    system,
    segment,
    exp(avg(CASE WHEN value IS NOT NULL THEN ln(greatest(value, 1e-5)) END)) AS value
FROM query_values
GROUP BY system, segment;
