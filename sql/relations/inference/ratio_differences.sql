-- name:     ratio_differences
-- title:    Difference of the ratio of every arm from that of a control, with its standard error
-- inputs:   ratios (arm, numerator, denominator)
-- switches: control VARCHAR
-- values:   control: as in statistics/welch_t
-- grain:    arm
-- formula:  se and df as in ratio_delta; log_se and log_df are those of the logarithm of lift, by the delta method;
--           pooled is the variance of the ratio of one unit, of both arms together; smaller differences than rounding
--           count as 0
SELECT
    treated.arm,
    control.n AS n_control, treated.n,
    control.ratio AS control_ratio, treated.ratio,
    treated.ratio - control.ratio AS delta,
    1e-12 * greatest(abs(control.ratio), abs(treated.ratio)) AS rounding,
    sqrt(control.error + treated.error) AS se,
    satterthwaite_df(control.error, control.effective - 1, treated.error, treated.effective - 1) AS df,
    treated.ratio / nullif(control.ratio, 0) AS lift,
    sqrt(control.relative_error + treated.relative_error) AS log_se,
    satterthwaite_df(
        control.relative_error, control.effective - 1, treated.relative_error, treated.effective - 1) AS log_df,
    (control.n * (control.n - 1) * control.error + treated.n * (treated.n - 1) * treated.error)
        / nullif(control.n + treated.n - 2, 0) AS pooled
FROM ratio_arms AS treated
JOIN ratio_arms AS control ON CAST(control.arm AS VARCHAR) = $control AND CAST(treated.arm AS VARCHAR) <> $control;
