-- name:     effective_size
-- title:    Effective number of clusters of each system and the baseline together, with degrees of freedom
-- inputs:   units (system, metric, query_id, value, n_effective)
-- switches: baseline VARCHAR
-- grain:    system, metric
-- formula:  df = n_effective - 1, n_effective that of the system with the smaller one
-- source:   Kish, Survey Sampling, 1965
-- note:     with fewer than two effective units there are no degrees of freedom
WITH sizes AS (
    SELECT system, metric, CAST(least(max(n_effective), count(value)) AS DOUBLE) AS n_effective
    FROM units
    GROUP BY system, metric
)
SELECT
    own.system,
    own.metric,
    least(own.n_effective, base.n_effective) AS n_effective,
    CASE WHEN least(own.n_effective, base.n_effective) >= 2
        THEN least(own.n_effective, base.n_effective) - 1 END AS df
FROM sizes AS own
JOIN sizes AS base ON base.system = $baseline AND base.metric = own.metric;
