-- name:     effective_sequence
-- title:    Always-valid test of clusters of unequal size, with degrees of freedom from their effective number
-- inputs:   units (system, metric, query_id, value, n_effective), tested (system, metric, n, delta, se,
--           relative_change, relative_upper, statistic, df, p)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1),
--           planned INTEGER DEFAULT 1000 CHECK (planned > 0)
-- grain:    system, metric
-- formula:  df = n_effective - 1, n_effective that of the system with the smaller one
-- source:   Kish, Survey Sampling, 1965
-- note:     information grows with the number n of all clusters, and the uncertainty of its estimate depends on the
--           effective number. With fewer than two effective units there are no bounds, and p has a value only if
--           there is no difference
WITH freedom AS (
    -- A separate step, because DuckDB repeats the arguments of a macro.
    SELECT
        tested.system, tested.metric, tested.n, tested.delta, tested.se, tested.statistic, tested.p,
        tested.relative_change, tested.relative_upper, tested.df AS all_df,
        effective_size.n_effective, effective_size.df
    FROM tested
    JOIN effective_size ON effective_size.system = tested.system AND effective_size.metric = tested.metric
),
critical AS (
    SELECT
        system, metric, n, delta, se, statistic, p, relative_change, relative_upper, n_effective, df,
        nullif(always_valid_critical(1 - $level, df, n, $planned), CAST('inf' AS DOUBLE)) AS critical,
        always_valid_critical(1 - $level, all_df, n, $planned) AS critical_of_all
    FROM freedom
)
SELECT
    system,
    metric,
    n_effective,
    df,
    delta - critical * se AS delta_lower,
    delta + critical * se AS delta_upper,
    relative_change - (relative_upper - relative_change) * critical / nullif(critical_of_all, 0) AS relative_lower,
    relative_change + (relative_upper - relative_change) * critical / nullif(critical_of_all, 0) AS relative_upper,
    -- Without a statistic all differences are equal, and p comes from the sign test.
    CASE WHEN p = 1 OR statistic IS NULL THEN p ELSE always_valid_p(statistic, df, n, $planned) END AS p
FROM critical;
