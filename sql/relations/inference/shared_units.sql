-- name:     shared_units
-- title:    Number of units that a system has in common with the baseline, and the correlation of their values
-- inputs:   units (system, metric, query_id, value)
-- switches: baseline VARCHAR
-- portable: no, tests are computed in DuckDB
-- grain:    system, metric
SELECT
    own.system,
    own.metric,
    count(*) AS n,
    CASE WHEN count(*) > 2 AND stddev_pop(own.value) > 0 AND stddev_pop(base.value) > 0
        THEN corr(own.value, base.value) END AS correlation
FROM units AS own
JOIN units AS base ON base.query_id = own.query_id AND base.metric = own.metric
WHERE base.system = $baseline
    AND own.system <> $baseline
    AND own.value IS NOT NULL
    AND base.value IS NOT NULL
GROUP BY own.system, own.metric;
