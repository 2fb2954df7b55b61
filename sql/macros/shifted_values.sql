-- name:     shifted_values
-- title:    Values that CUPED compares
-- inputs:   adjusted (metric, arm, value, covariate), slopes (metric, center, theta)
SELECT
    adjusted.metric,
    adjusted.arm,
    adjusted.value - slopes.theta * coalesce(adjusted.covariate - slopes.center, 0e0) AS value
FROM adjusted
JOIN slopes ON slopes.metric = adjusted.metric;
