-- name:     unit_sums
-- title:    Mean, spread and tails of the values of units, such as queries or users
-- inputs:   units (system, metric, query_id, value, n_effective, hits, scale, low, high)
-- portable: no, few engines compute the kurtosis
-- grain:    system, metric
-- formula:  excess is the kurtosis minus 3, on the scales logit and log
-- note:     n_effective is the effective number of units, at most their number; is_proportion: a Wilson interval fits.
--           Spark computes this step where the units are, if they are too many to move
SELECT
    system,
    metric,
    -- Either all clusters have a value, or none, if the metric is undefined without one of them.
    CASE WHEN count(value) = 0 AND max(n_effective) IS NOT NULL THEN count(*) ELSE count(value) END AS n,
    CAST(least(coalesce(max(n_effective), count(value)), count(*)) AS DOUBLE) AS n_effective,
    avg(value) AS mean,
    -- Distances from the nearer end, because powers of values near an end lose all digits.
    CASE
        WHEN max(scale) = 'log' THEN kurtosis_pop(value) FILTER (WHERE scale = 'log')
        WHEN avg(value) > max((low + high) / 2)
            THEN kurtosis_pop(high - value) FILTER (WHERE scale = 'logit')
        ELSE kurtosis_pop(value - low) FILTER (WHERE scale = 'logit')
    END AS excess,
    CASE WHEN count(value) > 1 THEN stddev_samp(value) END AS sd,
    max(scale) AS scale,
    max(low) AS low,
    max(high) AS high,
    max(scale) = 'proportion'
        OR (max(scale) = 'hits' AND coalesce(bool_and(hits), bool_and(value IN (0e0, 1e0)), FALSE))
        AS is_proportion
FROM units
GROUP BY system, metric;
