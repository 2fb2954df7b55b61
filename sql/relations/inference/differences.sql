-- name:     differences
-- title:    Difference of each unit from the baseline, for units with a value on both sides
-- inputs:   per_query (system, metric, query_id, value)
-- switches: baseline VARCHAR
-- values:   baseline: the system that the others are compared with
-- grain:    system, metric, query_id
-- note:     values that differ by rounding or less count as equal: 1e-12 of the mean size of the values
SELECT
    compared.system,
    compared.metric,
    compared.query_id,
    baseline.value AS baseline_value,
    compared.value,
    compared.value - baseline.value AS difference,
    1e-12 * avg(greatest(abs(compared.value), abs(baseline.value)))
        OVER (PARTITION BY compared.system, compared.metric) AS rounding
FROM per_query AS compared
JOIN per_query AS baseline
    ON baseline.query_id = compared.query_id AND baseline.metric = compared.metric
WHERE baseline.system = $baseline
    AND compared.system <> $baseline
    AND compared.value IS NOT NULL
    AND baseline.value IS NOT NULL;
