-- name:     sample_differences
-- title:    Bootstrap test against a baseline, from the values of metrics on the same samples
-- inputs:   samples (system, metric, draw, value), observed (system, metric, value)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- switches: baseline VARCHAR
-- portable: no, intervals are for DuckDB only
-- grain:    system, metric
-- formula:  the bounds are percentiles of the differences, and of the differences relative to the baseline, moved by
--           the bias of sample_pairs; p = min(1, 2 * (1 + k) / (1 + draws)), k the number of differences at or
--           beyond the bias, on the side with fewer of them
-- source:   Efron, Annals of Statistics 1979, doi:10.1214/aos/1176344552
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
FROM sample_pairs
GROUP BY system, metric;
