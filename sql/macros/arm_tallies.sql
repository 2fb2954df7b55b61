-- name:     arm_tallies
-- title:    Number of units of every variant, with counts for each metric
-- inputs:   measured (metric, arm, is_ratio, value, other)
-- grain:    metric, arm
-- note:     known: the number of units with a value, for a ratio with both values; others: the number of units whose
--           value is neither 0 nor 1
SELECT
    metric,
    arm,
    count(*) AS n,
    count(*) FILTER (WHERE value IS NOT NULL AND (other IS NOT NULL OR NOT is_ratio)) AS known,
    count(*) FILTER (WHERE value = 1) AS hits,
    count(*) FILTER (WHERE value <> 0 AND value <> 1) AS others,
    count(*) FILTER (WHERE NOT isfinite(value)) AS bad_values,
    count(*) FILTER (WHERE NOT isfinite(other)) AS bad_others
FROM measured
GROUP BY metric, arm;
