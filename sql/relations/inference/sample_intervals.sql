-- name:     sample_intervals
-- title:    Percentile-bootstrap intervals of metrics, from their values on samples
-- inputs:   samples (system, metric, draw, value)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- portable: no, intervals are for DuckDB only
-- grain:    system, metric
-- formula:  the bounds are percentiles of the values, (1 - level) / 2 and (1 + level) / 2
-- source:   Efron, Annals of Statistics 1979, doi:10.1214/aos/1176344552
-- note:     n, n_effective and why are NULL, because samples of rows have no number of units; unit_intervals has the
--           same columns
SELECT
    system,
    metric,
    quantile_cont(value, 0.5e0 - 0.5e0 * $level) AS lower,
    quantile_cont(value, 0.5e0 + 0.5e0 * $level) AS upper,
    CAST(NULL AS BIGINT) AS n,
    CAST(NULL AS DOUBLE) AS n_effective,
    CAST(NULL AS VARCHAR) AS why
FROM samples
GROUP BY system, metric;
