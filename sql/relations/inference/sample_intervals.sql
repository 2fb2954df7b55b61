-- name:     sample_intervals
-- title:    Percentile-bootstrap intervals of metrics, from their values on samples
-- inputs:   samples (system, metric, draw, value), sizes (system, metric, n)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- portable: no, intervals are for DuckDB only
-- grain:    system, metric
-- formula:  the bounds are percentiles of the values, (1 - level) / 2 and (1 + level) / 2
-- source:   Efron, Annals of Statistics 1979, doi:10.1214/aos/1176344552
-- note:     sizes has the number of units that are drawn; samples of one unit are all alike. n_effective is NULL,
--           because nothing shows it; unit_intervals has the same columns
WITH percentiles AS (
    SELECT
        system,
        metric,
        quantile_cont(value, 0.5e0 - 0.5e0 * $level) AS lower,
        quantile_cont(value, 0.5e0 + 0.5e0 * $level) AS upper
    FROM samples
    GROUP BY system, metric
)
SELECT
    percentiles.system,
    percentiles.metric,
    CASE WHEN sizes.n > 1 THEN percentiles.lower END AS lower,
    CASE WHEN sizes.n > 1 THEN percentiles.upper END AS upper,
    sizes.n,
    CAST(NULL AS DOUBLE) AS n_effective,
    CASE WHEN sizes.n < 2 THEN 'there is one unit only' END AS why
FROM percentiles
JOIN sizes ON sizes.system = percentiles.system AND sizes.metric = percentiles.metric;
