-- name:     sample_differences
-- title:    Bootstrap test against a baseline, from the values of metrics on the same samples
-- inputs:   samples (system, metric, draw, value), observed (system, metric, value)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- switches: baseline VARCHAR
-- portable: no, intervals are for DuckDB only
-- grain:    system, metric
-- formula:  the bounds are percentiles of the differences, and of the differences relative to the baseline, moved by
--           the bias; p = min(1, 2 * (1 + k) / (1 + draws)), k the number of differences at or beyond the bias, on the
--           side with fewer of them
-- source:   Efron, Annals of Statistics 1979, doi:10.1214/aos/1176344552
-- note:     metrics such as ECE and KS grow with noise, and more so if the scores spread over more bins. Samples have
--           that noise twice: if noise alone makes the metric, it grows by the factor sqrt(2) from the value to the
--           samples, so that the value has 1 + sqrt(2) times the bias of the samples. If noise makes nothing, the value
--           has no bias. Bounds and p hold from one case to twice the other, because the bias is estimated
WITH pairs AS (
    SELECT
        compared.system,
        compared.metric,
        compared.value - baseline.value AS delta,
        (compared.value - baseline.value) / nullif(abs(baseline.value), 0) AS change
    FROM samples AS compared
    JOIN samples AS baseline ON baseline.metric = compared.metric AND baseline.draw = compared.draw
    WHERE baseline.system = $baseline AND compared.system <> $baseline
),
known AS (
    SELECT
        compared.system,
        compared.metric,
        compared.value - baseline.value AS delta,
        (compared.value - baseline.value) / nullif(abs(baseline.value), 0) AS change
    FROM observed AS compared
    JOIN observed AS baseline ON baseline.metric = compared.metric
    WHERE baseline.system = $baseline AND compared.system <> $baseline
),
biases AS (
    SELECT
        pairs.system,
        pairs.metric,
        avg(pairs.delta) - max(known.delta) AS bias,
        avg(pairs.change) - max(known.change) AS relative_bias
    FROM pairs
    JOIN known ON known.system = pairs.system AND known.metric = pairs.metric
    GROUP BY pairs.system, pairs.metric
),
moved AS (
    SELECT
        pairs.*,
        least(bias, (3 + 2 * sqrt(2)) * bias) AS least_bias,
        greatest(bias, (3 + 2 * sqrt(2)) * bias) AS most_bias,
        least(relative_bias, (3 + 2 * sqrt(2)) * relative_bias) AS least_relative,
        greatest(relative_bias, (3 + 2 * sqrt(2)) * relative_bias) AS most_relative
    FROM pairs
    JOIN biases ON biases.system = pairs.system AND biases.metric = pairs.metric
)
SELECT
    system,
    metric,
    quantile_cont(delta - most_bias, 0.5e0 - 0.5e0 * $level) AS delta_lower,
    quantile_cont(delta - least_bias, 0.5e0 + 0.5e0 * $level) AS delta_upper,
    quantile_cont(change - most_relative, 0.5e0 - 0.5e0 * $level) AS relative_lower,
    quantile_cont(change - least_relative, 0.5e0 + 0.5e0 * $level) AS relative_upper,
    least(
        1e0,
        2e0 * (1 + least(
            count(*) FILTER (WHERE delta <= most_bias), count(*) FILTER (WHERE delta >= least_bias)
        )) / nullif(1 + count(delta), 0)
    ) AS p
FROM moved
GROUP BY system, metric;
