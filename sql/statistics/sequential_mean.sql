-- name:     sequential_mean
-- title:    Always-valid test of a mean against a control, for a running experiment
-- meaning:  The test shows whether the mean of an arm differs from the mean of a control. Its p-value and interval hold
--           at every look at a running experiment, so you can stop when you have seen enough.
-- use:      to look at an A/B test of means or shares again and again while it runs
-- beware:   the interval is at least 1.5 times as wide as that of welch_t; if you look only once, use welch_t
-- reading:  p < 0.05: the difference from the control is larger than chance explains, however often you looked
--           p >= 0.05: not enough data yet; the experiment may go on
-- inputs:   observations (arm, value)
-- params:   control VARCHAR, level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1),
--           planned INTEGER DEFAULT 5000 CHECK (planned > 0)
-- values:   control: as in welch_t
--           level: as in always_valid
--           planned: how many units of two equal arms should give the tightest interval
-- grain:    one row per arm but the control: arm, control_mean, mean, delta, delta_lower, delta_upper,
--           relative_change, relative_lower, relative_upper, p, n_control, n, se, statistic, df
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  delta and df as in welch_t; se is that of welch_t, or that of the pooled variance of both arms if it is
--           larger; statistic = delta / se; p = always_valid_p(statistic, df, m, planned), m = 4 / (1 / n +
--           1 / n_control); the bounds are delta -+ always_valid_critical(1 - level, df, m, planned) * se; those of
--           the relative change are as in welch_t, with this critical value
-- tex:      p = \min\left(1, \sqrt{c} \left(\frac{1 + t^2 / \nu}{1 + t^2 / (c \, \nu)}\right)^{-(\nu + 1) / 2}\right)
--           \qquad c = 1 + \frac{m}{w} \qquad m = \frac{4}{1 / n + 1 / n_c}
-- symbols:  t: the difference of the means divided by its standard error
--           \nu: the degrees of freedom of Welch's test
--           n, n_c: the numbers of units of the arm and of the control
--           m: the number of units of two equal arms that are as precise
--           w: the number of units that the prior is worth, planned / 8.212
-- source:   Johari, Koomen, Pekelis and Walsh, Operations Research 2022, doi:10.1287/opre.2021.2135; Waudby-Smith,
--           Arbour, Sinha, Kennedy and Ramdas, Annals of Statistics 2024, doi:10.1214/24-AOS2408; Student's t:
--           Lindon, Ham, Tingley and Bojinov, 2022, arXiv:2210.08589
-- oracle:   the formula in plain Python
-- example:  sequential_mean(VALUES ('A', 0), ('A', 2), ('B', 3), ('B', 5); control := 'A', planned := 10) = 'B', 1, 4,
--           3, NULL, NULL, 3, NULL, NULL, 0.66541544193073, 2, 2, 1.4142135623730951, 2.1213203435596424, 2
-- related:  always_valid, sequential_ratio, sequential_sample_ratio, welch_t
-- note:     NULL values are left out. p is the p-value of this look; the smallest p of all looks is valid, too. The
--           value of a unit must not change between two looks: count a user when the value is final. Choose planned
--           before the first look, and keep it. Bounds are NULL while there are too few units for an interval. If both
--           arms are constant, p is 1 if their means are equal, else NULL. The relative interval needs positive means
WITH errors AS (
    -- A small arm may have no rare value yet, so that its own variance is too small.
    SELECT
        arm, n_control, n, control_mean, mean, delta, df, log_df, ratio, rounding,
        greatest(se, sqrt(pooled / nullif(n, 0) + pooled / nullif(n_control, 0))) AS se,
        CASE WHEN log_se IS NOT NULL THEN greatest(log_se, sqrt(
            pooled / nullif(n * mean * mean, 0) + pooled / nullif(n_control * control_mean * control_mean, 0)
        )) END AS log_se
    FROM mean_differences
),
tested AS (
    -- A separate step, because DuckDB repeats the arguments of a macro.
    SELECT
        arm, n_control, n, control_mean, mean, delta, se, df, log_se, log_df, ratio, rounding,
        se <= rounding AS constant,
        4e0 / nullif(1e0 / nullif(n, 0) + 1e0 / nullif(n_control, 0), 0) AS balanced
    FROM errors
),
bounded AS (
    SELECT
        arm, n_control, n, control_mean, mean, delta, se, df, ratio, rounding, constant, balanced,
        nullif(always_valid_critical(1 - $level, df, balanced, $planned), CAST('inf' AS DOUBLE)) * se AS half,
        exp(nullif(always_valid_critical(1 - $level, log_df, balanced, $planned), CAST('inf' AS DOUBLE)) * log_se)
            AS factor,
        CASE WHEN NOT constant THEN delta / nullif(se, 0) END AS statistic
    FROM tested
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
        ELSE always_valid_p(statistic, df, balanced, $planned)
    END AS p,
    n_control, n, se, statistic, df
FROM bounded
ORDER BY arm;
