-- name:     mean_differences
-- title:    Difference of the mean of every arm from that of a control, with its standard error
-- inputs:   observations (arm, value)
-- switches: control VARCHAR
-- values:   control: as in statistics/welch_t
-- portable: no, variances of the arms of a test are computed in DuckDB
-- grain:    arm
-- formula:  se and df as in welch_t; log_se and log_df are those of the logarithm of ratio, by the delta method; pooled
--           is the variance of both arms together; smaller differences than rounding count as 0
WITH arms AS (
    SELECT
        CAST(arm AS VARCHAR) = $control AS is_control,
        arm,
        count(*) AS n,
        avg(value) AS mean,
        CASE WHEN count(*) > 1 THEN variance(value) END AS variance,
        CASE WHEN count(*) > 1 THEN variance(value) END / nullif(count(*), 0) AS error,
        CASE WHEN count(*) > 1 AND avg(value) > 0 THEN variance(value) END
            / nullif(count(*) * avg(value) * avg(value), 0) AS relative_error
    FROM observations
    WHERE value IS NOT NULL
    GROUP BY arm
)
SELECT
    treated.arm,
    control.n AS n_control, treated.n,
    control.mean AS control_mean, treated.mean,
    treated.mean - control.mean AS delta,
    sqrt(control.error + treated.error) AS se,
    satterthwaite_df(control.error, control.n - 1, treated.error, treated.n - 1) AS df,
    sqrt(control.relative_error + treated.relative_error) AS log_se,
    satterthwaite_df(control.relative_error, control.n - 1, treated.relative_error, treated.n - 1) AS log_df,
    -- A control that is 0 except for rounding has no relative change.
    treated.mean / nullif(CASE
        WHEN abs(control.mean) > 1e-12 * greatest(abs(treated.mean), sqrt(control.variance), sqrt(treated.variance))
            THEN control.mean
    END, 0) AS ratio,
    1e-12 * greatest(abs(control.mean), abs(treated.mean)) AS rounding,
    ((control.n - 1) * control.variance + (treated.n - 1) * treated.variance)
        / nullif(control.n + treated.n - 2, 0) AS pooled
FROM arms AS treated
JOIN arms AS control ON control.is_control AND NOT treated.is_control;
