-- name:     welch_t
-- title:    Welch's t-test of a mean against a control
-- meaning:  Welch's t-test shows whether the mean of an arm differs from the mean of a control by more than chance
--           explains. The arms have different units, and their variances may differ.
-- use:      to compare separate groups of users, such as the arms of an A/B test
-- beware:   a few extreme values, such as very large orders, can hide a difference; several rows of the same user
--           make p too small
-- reading:  p < 0.05: the difference from the control is larger than chance explains
--           p >= 0.05: chance can explain the difference; this does not prove that it is 0
--           relative_change = 0.02: the mean is 2% higher than that of the control
-- inputs:   observations (arm, value)
-- params:   control VARCHAR, level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- values:   control: the arm that the others are compared with
--           level: as in mean_interval
-- grain:    one row per arm but the control: arm, control_mean, mean, delta, delta_lower, delta_upper,
--           relative_change, relative_lower, relative_upper, p, n_control, n, se, effect_size, statistic, df
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  statistic = delta / se, se^2 = var / n of both arms, df = se^4 / sum of (var / n)^2 / (n - 1);
--           relative_change = delta / abs(control_mean), between r * exp(-+ t * s) - 1, r = mean / control_mean, s
--           and df as se and df above with var / mean^2 in place of var; effect_size = delta / pooled sd (Cohen's d)
-- tex:      t = \frac{\bar{x} - {\bar{x}}_c}{\sqrt{s^2 / n + s_c^2 / n_c}}
-- symbols:  \bar{x}, {\bar{x}}_c: the means of the arm and of the control
--           s^2, s_c^2: the variances of the arm and of the control
--           n, n_c: the numbers of values of the arm and of the control
-- source:   Welch, Biometrika 1947, doi:10.1093/biomet/34.1-2.28; Satterthwaite, Biometrics Bulletin 1946,
--           doi:10.2307/3002019; Cohen, 1988, doi:10.4324/9780203771587
-- oracle:   scipy.stats.ttest_ind(equal_var=False)
-- example:  welch_t(VALUES ('A', 0), ('A', 2), ('B', 3), ('B', 5); control := 'A') = 'B', 1, 4, 3,
--           -3.0848698445933085, 9.084869844593308, 3, -0.9998392073791285, 99506.05395105417, 0.16794970566215633, 2,
--           2, 1.4142135623730951, 2.1213203435596424, 2.1213203435596424, 2
-- related:  cuped, mann_whitney, ratio_delta, paired_t, sample_ratio
-- note:     a value that is NULL is left out. An arm with one value has no interval and no p; if both arms are
--           constant, p is 1 if their means are equal, else NULL. The relative interval needs positive means
WITH errors AS (
    SELECT
        arm, n_control, n, control_mean, mean, delta, se, df, ratio, pooled, rounding,
        se <= rounding AS constant,
        coalesce(student_t_critical(1 - $level, df), CASE WHEN se = 0 THEN 0e0 END) * se AS half,
        exp(coalesce(student_t_critical(1 - $level, log_df), CASE WHEN log_se = 0 THEN 0e0 END) * log_se) AS factor
    FROM mean_differences
)
SELECT
    arm, control_mean, mean, delta,
    delta - half AS delta_lower,
    delta + half AS delta_upper,
    sign(control_mean) * (ratio - 1) AS relative_change,
    ratio / nullif(factor, 0) - 1 AS relative_lower,
    ratio * factor - 1 AS relative_upper,
    CASE
        WHEN constant THEN CASE WHEN abs(delta) <= rounding THEN 1e0 END
        ELSE student_t_p(delta / nullif(se, 0), df)
    END AS p,
    n_control, n, se,
    CASE WHEN NOT constant THEN delta / nullif(sqrt(pooled), 0) END AS effect_size,
    CASE WHEN NOT constant THEN delta / nullif(se, 0) END AS statistic,
    df
FROM errors
ORDER BY arm;
