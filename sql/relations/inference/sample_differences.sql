-- name:     sample_differences
-- title:    Percentile-bootstrap test against a baseline, from the values of metrics on the same samples
-- inputs:   samples (system, metric, draw, value)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- switches: baseline VARCHAR
-- portable: no, intervals are for DuckDB only
-- grain:    system, metric
-- formula:  the bounds are percentiles of the differences, and of the differences relative to the
--           baseline; p = min(1, 2 * (1 + k) / (1 + draws)), k the number of
--           differences at or beyond 0, on the side with fewer of them
-- source:   Efron, Annals of Statistics 1979, doi:10.1214/aos/1176344552
WITH pairs AS (
    SELECT
        compared.system,
        compared.metric,
        compared.value - baseline.value AS delta,
        (compared.value - baseline.value) / nullif(abs(baseline.value), 0) AS change
    FROM samples AS compared
    JOIN samples AS baseline ON baseline.metric = compared.metric AND baseline.draw = compared.draw
    WHERE baseline.system = $baseline AND compared.system <> $baseline
)
SELECT
    system,
    metric,
    quantile_cont(delta, 0.5e0 - 0.5e0 * $level) AS delta_lower,
    quantile_cont(delta, 0.5e0 + 0.5e0 * $level) AS delta_upper,
    quantile_cont(change, 0.5e0 - 0.5e0 * $level) AS relative_lower,
    quantile_cont(change, 0.5e0 + 0.5e0 * $level) AS relative_upper,
    least(
        1e0,
        2e0 * (1 + least(count(*) FILTER (WHERE delta <= 0), count(*) FILTER (WHERE delta >= 0)))
            / nullif(1 + count(delta), 0)
    ) AS p
FROM pairs
GROUP BY system, metric;
