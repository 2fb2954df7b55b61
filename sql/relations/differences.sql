-- name:     differences
-- title:    What each unit gains over the baseline: a row for every unit with a value on both sides
-- inputs:   per_query (system, metric, query_id, value)
-- switches: baseline VARCHAR
-- grain:    system, metric, query_id
SELECT
    compared.system,
    compared.metric,
    compared.query_id,
    baseline.value AS baseline_value,
    compared.value,
    compared.value - baseline.value AS difference
FROM per_query AS compared
JOIN per_query AS baseline
    ON baseline.query_id = compared.query_id AND baseline.metric = compared.metric
WHERE baseline.system = $baseline
    AND compared.system <> $baseline
    AND compared.value IS NOT NULL
    AND baseline.value IS NOT NULL;
