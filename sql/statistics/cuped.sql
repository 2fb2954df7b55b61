-- name:     cuped
-- title:    Mean against a control, adjusted for a value from before the experiment (CUPED)
-- meaning:  CUPED compares the mean of each arm with a control, and corrects for differences between users that
--           existed before the experiment. The test can then detect smaller differences with the same number of
--           users.
-- use:      when you know a value of the same users from before the experiment, such as the clicks of last month
-- beware:   if covariate and value are barely correlated, the error stays almost the same; read variance_reduction
-- reading:  variance_reduction = 0: the covariate does not help
--           variance_reduction = 0.5: as precise as the test without covariate on twice as many users
--           p < 0.05: the difference from the control is larger than chance explains
-- inputs:   adjusted (arm, value, covariate)
-- params:   control VARCHAR, level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- values:   control: as in welch_t
--           level: as in mean_interval
-- grain:    one row per arm but the control: arm, control_mean, mean, delta, delta_lower, delta_upper, p,
--           variance_reduction, n_control, n, se, unadjusted_delta, unadjusted_se, theta, statistic, df
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  welch_t of value - theta * (covariate - mean covariate), theta = cov(value, covariate) / var(covariate)
--           over all rows of all arms; variance_reduction = 1 - (se / unadjusted_se)^2
-- tex:      y^{\mathrm{adj}}_i = y_i - \theta \, (x_i - \bar{x})
--           \qquad \theta = \frac{\mathrm{cov}(x, y)}{\mathrm{var}(x)}
-- symbols:  y_i: the value of unit i
--           x_i: the covariate of unit i
--           \bar{x}: the mean covariate of all arms
--           \theta: the slope of the value on the covariate, over all arms
--           y^{\mathrm{adj}}_i: the adjusted value, which welch_t then compares
-- source:   Deng, Xu, Kohavi and Walker, WSDM 2013, doi:10.1145/2433396.2433413
-- oracle:   scipy.stats.ttest_ind(equal_var=False) of the adjusted values
-- example:  cuped(VALUES ('A', 0, 0), ('A', 2, 2), ('B', 3, 0), ('B', 5, 2); control := 'A') = 'B', 1, 4, 3, 3, 3,
--           NULL, 1, 2, 2, 0, 3, 1.4142135623730951, 1, NULL, NULL
-- related:  welch_t, ratio_delta, two_proportion_z
-- note:     a row without a value is left out; a row without a covariate gets the mean covariate. The covariate must
--           date from before the treatment; a constant covariate changes nothing. If the adjusted values of both arms
--           are constant, p is 1 if their means are equal, else NULL
WITH slopes AS (
    SELECT avg(covariate) AS center,
        CASE WHEN var_samp(covariate) > 1e-24 * avg(CAST(covariate AS DOUBLE) * covariate)
            THEN covar_samp(value, covariate) / nullif(var_samp(covariate), 0) ELSE 0e0 END AS theta
    FROM adjusted
    WHERE value IS NOT NULL AND covariate IS NOT NULL
),
arms AS (
    SELECT
        CAST(adjusted.arm AS VARCHAR) = $control AS is_control,
        adjusted.arm,
        count(*) AS n,
        max(slopes.theta) AS theta,
        avg(adjusted.value - slopes.theta * coalesce(adjusted.covariate - slopes.center, 0)) AS mean,
        CASE WHEN count(*) > 1 THEN
            var_samp(adjusted.value - slopes.theta * coalesce(adjusted.covariate - slopes.center, 0))
        END / nullif(count(*), 0) AS error,
        avg(adjusted.value) AS raw_mean,
        CASE WHEN count(*) > 1 THEN var_samp(adjusted.value) END / nullif(count(*), 0) AS raw_error
    FROM adjusted
    CROSS JOIN slopes
    WHERE adjusted.value IS NOT NULL
    GROUP BY adjusted.arm
),
compared AS (
    SELECT
        treated.arm,
        control.n AS n_control, treated.n, treated.theta,
        control.mean AS control_mean, treated.mean,
        treated.mean - control.mean AS delta,
        1e-12 * greatest(abs(control.mean), abs(treated.mean), abs(treated.raw_mean)) AS rounding,
        sqrt(control.error + treated.error) AS se,
        satterthwaite_df(control.error, control.n - 1, treated.error, treated.n - 1) AS df,
        treated.raw_mean - control.raw_mean AS unadjusted_delta,
        sqrt(control.raw_error + treated.raw_error) AS unadjusted_se
    FROM arms AS treated
    JOIN arms AS control ON control.is_control AND NOT treated.is_control
),
errors AS (
    SELECT
        arm, n_control, n, theta, control_mean, mean, delta, se, df, unadjusted_delta, unadjusted_se, rounding,
        se <= rounding AS constant,
        student_t_critical(1 - $level, df) * se AS half
    FROM compared
)
SELECT
    arm, control_mean, mean, delta,
    CASE WHEN constant THEN delta ELSE delta - half END AS delta_lower,
    CASE WHEN constant THEN delta ELSE delta + half END AS delta_upper,
    CASE
        WHEN constant THEN CASE WHEN abs(delta) <= rounding THEN 1e0 END
        ELSE student_t_p(delta / nullif(se, 0), df)
    END AS p,
    1 - power(se / nullif(unadjusted_se, 0), 2e0) AS variance_reduction,
    n_control, n, se, unadjusted_delta, unadjusted_se, theta,
    CASE WHEN NOT constant THEN delta / nullif(se, 0) END AS statistic,
    CASE WHEN NOT constant THEN df END AS df
FROM errors
ORDER BY arm;
