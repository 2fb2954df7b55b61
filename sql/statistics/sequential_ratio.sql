-- name:     sequential_ratio
-- title:    Always-valid test of a ratio of sums against a control, for a running experiment
-- meaning:  The test compares a ratio of two sums, such as clicks per impression, with the ratio of a control. Its
--           p-value and interval hold at every look at a running experiment.
-- use:      to look at an A/B test of a ratio again and again while it runs
-- beware:   the interval is at least 1.5 times as wide as that of ratio_delta; if you look only once, use ratio_delta
-- reading:  p < 0.05: the difference from the control is larger than chance explains, however often you looked
--           p >= 0.05: not enough data yet; the experiment may go on
-- inputs:   ratios (arm, numerator, denominator)
-- params:   control VARCHAR, level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1),
--           planned INTEGER DEFAULT 5000 CHECK (planned > 0),
--           variance VARCHAR DEFAULT 'jackknife' CHECK (variance IN ('jackknife', 'delta'))
-- values:   control: as in welch_t
--           level: as in always_valid
--           planned: as in sequential_mean
-- grain:    one row per arm but the control: arm, control_ratio, ratio, delta, delta_lower, delta_upper,
--           relative_change, relative_lower, relative_upper, p, n_control, n, se, statistic, df
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  delta and df as in ratio_delta, df also with variance=delta; se is that of ratio_delta, or that of the
--           pooled variance of both arms if it is larger; p and bounds as in sequential_mean, n and n_control the
--           numbers of units
-- tex:      p = \min\left(1, \sqrt{c} \left(\frac{1 + t^2 / \nu}{1 + t^2 / (c \, \nu)}\right)^{-(\nu + 1) / 2}\right)
--           \qquad c = 1 + \frac{m}{w} \qquad m = \frac{4}{1 / n + 1 / n_c}
-- symbols:  t: the difference of the ratios divided by its standard error
--           \nu: the degrees of freedom, from the effective numbers of units
--           n, n_c: the numbers of units of the arm and of the control
--           m: the number of units of two equal arms that are as precise
--           w: the number of units that the prior is worth, planned / 8.212
-- source:   as in sequential_mean; ratio: Deng, Knoblich and Lu, KDD 2018, doi:10.1145/3219819.3219919
-- oracle:   the formula in plain Python
-- example:  sequential_ratio(VALUES ('A', 0, 1), ('A', 1, 1), ('B', 1, 1), ('B', 2, 1); control := 'A') = 'B', 0.5,
--           1.5, 1, NULL, NULL, 2, NULL, NULL, 0.9983723433717326, 2, 2, 0.7071067811865476, 1.4142135623730951, 2
-- related:  sequential_mean, always_valid, sequential_sample_ratio, ratio_delta
-- note:     each row is a unit, such as a user with clicks and impressions. Rows with a NULL numerator or denominator
--           do not count. The numbers of a unit must not change between two looks: count a user when they are final. p
--           is the p-value of this look; the smallest p of all looks is valid, too. Bounds are NULL while there are too
--           few units for an interval
WITH errors AS (
    -- A small arm may have no rare value yet, so that its own variance is too small.
    SELECT
        arm, n_control, n, control_ratio, ratio, delta, df, log_df, lift, rounding,
        greatest(se, sqrt(pooled / nullif(n, 0) + pooled / nullif(n_control, 0))) AS se,
        CASE WHEN log_se IS NOT NULL THEN greatest(log_se, sqrt(
            pooled / nullif(n * ratio * ratio, 0) + pooled / nullif(n_control * control_ratio * control_ratio, 0)
        )) END AS log_se
    FROM ratio_differences
),
tested AS (
    -- A separate step, because DuckDB repeats the arguments of a macro.
    SELECT
        arm, n_control, n, control_ratio, ratio, delta, se, df, log_se, log_df, lift, rounding,
        se <= rounding AS constant,
        4e0 / nullif(1e0 / nullif(n, 0) + 1e0 / nullif(n_control, 0), 0) AS balanced
    FROM errors
),
bounded AS (
    SELECT
        arm, n_control, n, control_ratio, ratio, delta, se, df, lift, rounding, constant, balanced,
        nullif(always_valid_critical(1 - $level, df, balanced, $planned), CAST('inf' AS DOUBLE)) * se AS half,
        exp(nullif(always_valid_critical(1 - $level, log_df, balanced, $planned), CAST('inf' AS DOUBLE)) * log_se)
            AS factor,
        CASE WHEN NOT constant THEN delta / nullif(se, 0) END AS statistic
    FROM tested
)
SELECT
    arm, control_ratio, ratio, delta,
    delta - half AS delta_lower,
    delta + half AS delta_upper,
    sign(control_ratio) * (lift - 1) AS relative_change,
    lift / nullif(factor, 0) - 1 AS relative_lower,
    lift * factor - 1 AS relative_upper,
    CASE
        WHEN constant THEN CASE WHEN abs(delta) <= rounding THEN 1e0 END
        ELSE always_valid_p(statistic, df, balanced, $planned)
    END AS p,
    n_control, n, se, statistic,
    CASE WHEN NOT constant THEN df END AS df
FROM bounded
ORDER BY arm;
