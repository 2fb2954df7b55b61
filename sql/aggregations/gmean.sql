-- name:     gmean
-- title:    Geometric mean over queries
-- inputs:   query_values (system, segment, query_id, value, weight)
-- grain:    system, segment
-- params:   weighted BOOLEAN DEFAULT FALSE
-- values:   weighted: as in mean
-- interval: log
-- formula:  exp(mean of ln(max(value, 0.00001))), the floor of trec_eval
SELECT
    system,
    segment,
    exp(CASE WHEN $weighted
        THEN sum(CASE WHEN value IS NOT NULL THEN weight * ln(greatest(value, 1e-5)) END)
            / nullif(sum(CASE WHEN value IS NOT NULL THEN weight END), 0)
        ELSE avg(CASE WHEN value IS NOT NULL THEN ln(greatest(value, 1e-5)) END) END) AS value
FROM query_values
GROUP BY system, segment;
