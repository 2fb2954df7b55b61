-- name:     effective_t
-- title:    Paired t of clusters of unequal size, with as many degrees of freedom as the clusters are worth
-- inputs:   units (system, metric, query_id, value, n_effective), tested (system, metric, delta, se, statistic, p)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- switches: baseline VARCHAR
-- grain:    system, metric
-- formula:  df = n_effective - 1, n_effective the smaller of the two systems
-- source:   Kish, Survey Sampling, 1965
-- note:     without two effective units there are no bounds, and no p unless there is no difference
WITH sizes AS (
    SELECT system, metric, CAST(least(max(n_effective), count(value)) AS DOUBLE) AS n_effective
    FROM units
    GROUP BY system, metric
),
pairs AS (
    SELECT
        tested.system, tested.metric, tested.delta, tested.se, tested.statistic, tested.p,
        least(own.n_effective, base.n_effective) AS n_effective
    FROM tested
    JOIN sizes AS own ON own.system = tested.system AND own.metric = tested.metric
    JOIN sizes AS base ON base.system = $baseline AND base.metric = tested.metric
),
freedom AS (
    -- A separate step, because DuckDB repeats the arguments of a macro.
    SELECT
        system, metric, delta, se, statistic, p, n_effective,
        CASE WHEN n_effective >= 2 THEN n_effective - 1 END AS df
    FROM pairs
),
critical AS (
    SELECT
        system, metric, delta, se, statistic, p, n_effective, df,
        student_t_critical(1 - $level, df) AS critical
    FROM freedom
)
SELECT
    system,
    metric,
    n_effective,
    df,
    delta - critical * se AS delta_lower,
    delta + critical * se AS delta_upper,
    -- Without a statistic all differences are equal, and p is that of the sign test.
    CASE WHEN p = 1 OR statistic IS NULL THEN p ELSE student_t_p(statistic, df) END AS p
FROM critical;
