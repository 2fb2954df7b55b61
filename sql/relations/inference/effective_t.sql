-- name:     effective_t
-- title:    Paired t-test of clusters of unequal size, with degrees of freedom from the effective number of clusters
-- inputs:   units (system, metric, query_id, value, n_effective), tested (system, metric, delta, se, relative_change,
--           relative_upper, statistic, df, p)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- grain:    system, metric
-- formula:  df = n_effective - 1, n_effective that of the system with the smaller one
-- source:   Kish, Survey Sampling, 1965
-- note:     with fewer than two effective units there are no bounds, and p has a value only if there is no difference.
--           The relative interval is that of all clusters, widened as the interval of the difference
WITH freedom AS (
    -- A separate step, because DuckDB repeats the arguments of a macro.
    SELECT
        tested.system, tested.metric, tested.delta, tested.se, tested.statistic, tested.p,
        tested.relative_change, tested.relative_upper, CAST(tested.df AS DOUBLE) AS all_df,
        effective_size.n_effective, effective_size.df
    FROM tested
    JOIN effective_size ON effective_size.system = tested.system AND effective_size.metric = tested.metric
),
critical AS (
    SELECT
        system, metric, delta, se, statistic, p, relative_change, n_effective, df,
        student_t_critical(1 - $level, df) AS critical,
        (relative_upper - relative_change) / nullif(student_t_critical(1 - $level, all_df), 0) AS relative_se
    FROM freedom
)
SELECT
    system,
    metric,
    n_effective,
    df,
    delta - critical * se AS delta_lower,
    delta + critical * se AS delta_upper,
    relative_change - critical * relative_se AS relative_lower,
    relative_change + critical * relative_se AS relative_upper,
    -- Without a statistic all differences are equal, and p comes from the sign test.
    CASE WHEN p = 1 OR statistic IS NULL THEN p ELSE student_t_p(statistic, df) END AS p
FROM critical;
