-- name:     difference_sums
-- title:    Means, spreads and signs of the differences of units from the baseline
-- inputs:   per_query (system, metric, query_id, value)
-- switches: baseline VARCHAR
-- portable: no, few engines compute the covariance
-- grain:    system, metric
-- note:     Spark computes this step where the units are, if they are too many to move
SELECT
    system, metric, count(*) AS n,
    avg(baseline_value) AS baseline_mean,
    avg(value) AS mean,
    avg(difference) AS delta,
    CASE WHEN count(*) > 1 THEN stddev_samp(difference) END AS sd,
    CASE WHEN count(*) > 1 THEN variance(baseline_value) END AS baseline_variance,
    CASE WHEN count(*) > 1 THEN covar_samp(difference, baseline_value) END AS covariance,
    CASE WHEN count(*) > 1 THEN 0.5e0 * (variance(value) + variance(baseline_value)) END AS mean_variance,
    count(*) FILTER (WHERE difference > rounding) AS wins,
    count(*) FILTER (WHERE abs(difference) <= rounding) AS ties,
    count(*) FILTER (WHERE difference < -rounding) AS losses
FROM differences
GROUP BY system, metric;
