-- name:     effective_tost
-- title:    Paired t-tests of a margin for clusters of unequal size, by their effective number
-- inputs:   units (system, metric, query_id, value, n_effective),
--           tested (system, metric, delta, se, statistic_higher, statistic_lower, p_higher, p_lower)
-- params:   alpha DOUBLE DEFAULT 0.05 CHECK (alpha > 0 AND alpha < 0.5)
-- switches: baseline VARCHAR
-- grain:    system, metric
-- formula:  df = n_effective - 1, n_effective that of the system with the smaller one
-- source:   Kish, Survey Sampling, 1965
-- note:     with fewer than two effective units there are no bounds, and no p if it comes from a statistic
WITH freedom AS (
    -- A separate step, because DuckDB repeats the arguments of a macro.
    SELECT
        tested.system, tested.metric, tested.delta, tested.se, tested.statistic_higher, tested.statistic_lower,
        tested.p_higher, tested.p_lower, effective_size.n_effective, effective_size.df
    FROM tested
    JOIN effective_size ON effective_size.system = tested.system AND effective_size.metric = tested.metric
),
judged AS (
    SELECT
        system, metric, delta, se, n_effective, df,
        student_t_critical(2 * $alpha, df) AS critical,
        -- Without a statistic all differences are equal, and p comes from the sign test.
        CASE WHEN statistic_higher IS NULL THEN p_higher ELSE student_t_sf(statistic_higher, df) END AS p_higher,
        CASE WHEN statistic_lower IS NULL THEN p_lower ELSE student_t_sf(-statistic_lower, df) END AS p_lower
    FROM freedom
)
SELECT
    system,
    metric,
    n_effective,
    df,
    delta - critical * se AS delta_lower,
    delta + critical * se AS delta_upper,
    p_higher,
    p_lower,
    CASE WHEN p_higher >= p_lower THEN p_higher WHEN p_higher < p_lower THEN p_lower END AS p_equivalent
FROM judged;
