-- name:     quantile_units
-- title:    Values of independent units, with the quantile whose bounds are wanted
-- inputs:   per_query (system, metric, query_id, value)
-- params:   q DOUBLE DEFAULT 0.5 CHECK (q > 0 AND q < 1)
-- values:   q: the quantile, such as 0.9 for the 90th percentile; 0.5 is the median
-- grain:    system, metric, query_id
SELECT system, metric, query_id, query_id AS cluster_id, CAST(value AS DOUBLE) AS value, CAST($q AS DOUBLE) AS q
FROM per_query
WHERE value IS NOT NULL;
