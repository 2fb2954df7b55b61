-- name:     effective_unpaired_t
-- title:    Unpaired t-test of clusters of unequal size, with degrees of freedom from the effective numbers of clusters
-- inputs:   units (system, metric, query_id, value, n_effective),
--           tested (system, metric, baseline_mean, mean, delta, se, relative_change, statistic, p)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- switches: baseline VARCHAR
-- portable: no, tests are computed in DuckDB
-- grain:    system, metric
-- formula:  df = se^4 / sum of (var / n)^2 / (n_effective - 1), with the effective number of clusters of each system
-- source:   Satterthwaite, Biometrics Bulletin 1946, doi:10.2307/3002019; Kish, Survey Sampling, 1965
-- note:     n_effective is that of the system. With fewer than two effective units on a side there are no bounds, and
--           p has a value only if there is no difference
WITH arms AS (
    SELECT
        system, metric,
        CAST(least(max(n_effective), count(value)) AS DOUBLE) AS n_effective,
        CASE WHEN least(max(n_effective), count(value)) >= 2
            THEN least(max(n_effective), count(value)) - 1 END AS freedom,
        CASE WHEN count(value) > 1 THEN variance(value) / nullif(count(value), 0) END AS error
    FROM units
    GROUP BY system, metric
),
pairs AS (
    SELECT
        tested.system, tested.metric, tested.baseline_mean, tested.mean, tested.delta, tested.se,
        tested.relative_change, tested.statistic, tested.p,
        own.n_effective, own.error, own.freedom,
        base.error AS base_error, base.freedom AS base_freedom,
        own.error / nullif(tested.mean * tested.mean, 0) AS log_error,
        base.error / nullif(tested.baseline_mean * tested.baseline_mean, 0) AS base_log_error
    FROM tested
    JOIN arms AS own ON own.system = tested.system AND own.metric = tested.metric
    JOIN arms AS base ON base.system = $baseline AND base.metric = tested.metric
),
sized AS (
    -- A separate step, because DuckDB repeats the arguments of a macro.
    SELECT
        system, metric, baseline_mean, mean, delta, se, relative_change, statistic, p, n_effective,
        satterthwaite_df(base_error, base_freedom, error, freedom) AS df,
        sqrt(base_log_error + log_error) AS log_se,
        satterthwaite_df(base_log_error, base_freedom, log_error, freedom) AS log_df
    FROM pairs
),
critical AS (
    SELECT
        system, metric, baseline_mean, mean, delta, relative_change, statistic, p, n_effective, df,
        student_t_critical(1 - $level, df) * se AS half,
        student_t_critical(1 - $level, log_df) * log_se AS log_half
    FROM sized
)
SELECT
    system,
    metric,
    n_effective,
    df,
    delta - half AS delta_lower,
    delta + half AS delta_upper,
    CASE WHEN baseline_mean > 0 AND mean > 0 THEN (1 + relative_change) * exp(-log_half) - 1 END
        AS relative_lower,
    CASE WHEN baseline_mean > 0 AND mean > 0 THEN (1 + relative_change) * exp(log_half) - 1 END
        AS relative_upper,
    CASE WHEN p = 1 OR statistic IS NULL THEN p ELSE student_t_p(statistic, df) END AS p
FROM critical;
