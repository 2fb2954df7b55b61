-- name:     sample_pairs
-- title:    Differences from a baseline on bootstrap samples, with the ends of the bias that they may have
-- inputs:   samples (system, metric, draw, value), observed (system, metric, value)
-- switches: baseline VARCHAR
-- grain:    system, metric, draw
-- formula:  bias is the mean of the differences minus that of the values; its ends are bias and (3 + 2 sqrt(2)) bias,
--           and likewise for the differences relative to the baseline
-- note:     metrics such as ECE and KS grow with noise, and more so if the scores spread over more bins. Samples have
--           that noise twice: if noise alone makes the metric, it grows by the factor sqrt(2) from the value to the
--           samples, so that the value has 1 + sqrt(2) times the bias of the samples. If noise makes nothing, the value
--           has no bias. The ends are those of one case and of twice the other, because the bias is estimated
WITH pairs AS (
    SELECT
        compared.system,
        compared.metric,
        compared.draw,
        baseline.value AS baseline_value,
        compared.value - baseline.value AS delta,
        (compared.value - baseline.value) / nullif(abs(baseline.value), 0) AS change
    FROM samples AS compared
    JOIN samples AS baseline ON baseline.metric = compared.metric AND baseline.draw = compared.draw
    WHERE baseline.system = $baseline AND compared.system <> $baseline
),
biases AS (
    SELECT
        pairs.system,
        pairs.metric,
        avg(pairs.delta) - max(own.value - base.value) AS bias,
        avg(pairs.change) - max((own.value - base.value) / nullif(abs(base.value), 0)) AS relative_bias
    FROM pairs
    JOIN observed AS own ON own.system = pairs.system AND own.metric = pairs.metric
    JOIN observed AS base ON base.system = $baseline AND base.metric = pairs.metric
    GROUP BY pairs.system, pairs.metric
)
SELECT
    pairs.system,
    pairs.metric,
    pairs.draw,
    pairs.baseline_value,
    pairs.delta,
    pairs.change,
    least(biases.bias, (3 + 2 * sqrt(2)) * biases.bias) AS least_bias,
    greatest(biases.bias, (3 + 2 * sqrt(2)) * biases.bias) AS most_bias,
    least(biases.relative_bias, (3 + 2 * sqrt(2)) * biases.relative_bias) AS least_relative,
    greatest(biases.relative_bias, (3 + 2 * sqrt(2)) * biases.relative_bias) AS most_relative
FROM pairs
JOIN biases ON biases.system = pairs.system AND biases.metric = pairs.metric;
