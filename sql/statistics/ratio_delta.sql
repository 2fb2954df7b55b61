-- name:     ratio_delta
-- title:    Ratio of sums against a control, by the jackknife or the delta method
-- meaning:  The test compares a ratio of two sums, such as clicks per impression, with the ratio of a control. It
--           takes into account that the impressions of the same user are correlated.
-- use:      when the experiment assigns users to arms, and the metric divides two sums over their events
-- beware:   a ratio of sums is not the mean of the ratios of users; users with many impressions have more influence
--           on it
-- reading:  p < 0.05: the difference from the control is larger than chance explains
--           relative_change = 0.02: the ratio is 2% higher than that of the control
-- inputs:   ratios (arm, numerator, denominator)
-- params:   control VARCHAR, level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1),
--           variance VARCHAR DEFAULT 'jackknife' CHECK (variance IN ('jackknife', 'delta'))
-- values:   control: as in welch_t
--           level: as in mean_interval
-- grain:    one row per arm but the control: arm, control_ratio, ratio, delta, delta_lower, delta_upper,
--           relative_change, relative_lower, relative_upper, p, n_control, n, se, statistic, df
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  ratio = sum of numerators / sum of denominators; its variance v is (n - 1) / n * sum of (r_i - mean of
--           r_i)^2, r_i the ratio without unit i; statistic = delta / se, se^2 = v of both arms, of Student's t with
--           df = se^4 / sum of v^2 / (m - 1), m = (sum of denominators)^2 / sum of denominators^2. variance=delta: v
--           is the variance of (numerator - ratio * denominator) / mean denominator, divided by n, and statistic is
--           normal. relative_change = delta / abs(control_ratio), between r * exp(-+ t * s) - 1, r = ratio /
--           control_ratio, s^2 = v / ratio^2 of both arms, df as above with v / ratio^2 in place of v
-- tex:      R = \frac{\sum_i y_i}{\sum_i x_i} \qquad t = \frac{R - R_c}{\sqrt{v + v_c}} \qquad
--           v = \frac{n - 1}{n} \sum_i \left(R_{(i)} - {\bar{R}}_{(\cdot)}\right)^2
-- symbols:  y_i: the numerator of unit i, such as the clicks of a user
--           x_i: the denominator of unit i, such as the impressions of a user
--           n: the number of units in the arm
--           R: the ratio of the arm
--           R_c: the ratio of the control
--           v, v_c: the variances of the two ratios, by default from the jackknife
--           R_{(i)}: the ratio of the arm without unit i
--           {\bar{R}}_{(\cdot)}: the mean of these ratios
-- source:   Deng, Knoblich and Lu, KDD 2018, doi:10.1145/3219819.3219919; jackknife: Miller, Biometrika 1974,
--           doi:10.1093/biomet/61.1.1
-- oracle:   the formula in numpy
-- example:  ratio_delta(VALUES ('A', 0, 1), ('A', 1, 1), ('B', 1, 1), ('B', 2, 1); control := 'A', variance := 'delta')
--           = 'B', 0.5, 1.5, 1, -0.38590382434967796, 2.385903824349678, 2, -0.6199190993019296, 22.679169312297127,
--           0.15729920705028502, 2, 2, 0.7071067811865476, 1.4142135623730951, NULL
-- related:  welch_t, two_proportion_z, cuped
-- note:     a row is a unit, such as a user with clicks and impressions. Rows with a NULL numerator or denominator
--           do not count. An arm with one unit has no interval and no p. An arm whose denominators sum to 0 has no
--           ratio. If one unit has all denominators, the jackknife has no interval. The delta method finds a
--           difference in 8 to 13 of 100 tests of equal arms with fewer than 200 users and unequal denominators
WITH tested AS (
    SELECT
        arm, n_control, n, control_ratio, ratio, delta, se, lift, log_se, rounding,
        se <= rounding AS constant,
        CASE $variance WHEN 'jackknife' THEN df END AS df,
        CASE $variance WHEN 'delta' THEN normal_quantile(0.5e0 + 0.5e0 * $level) ELSE
            coalesce(student_t_critical(1 - $level, df), CASE WHEN se = 0 THEN 0e0 END) END AS critical,
        CASE $variance WHEN 'delta' THEN normal_quantile(0.5e0 + 0.5e0 * $level) ELSE
            coalesce(student_t_critical(1 - $level, log_df), CASE WHEN se = 0 THEN 0e0 END) END AS log_critical
    FROM ratio_differences
)
SELECT
    arm, control_ratio, ratio, delta,
    delta - critical * se AS delta_lower,
    delta + critical * se AS delta_upper,
    sign(control_ratio) * (lift - 1) AS relative_change,
    lift / nullif(exp(log_critical * log_se), 0) - 1 AS relative_lower,
    lift * exp(log_critical * log_se) - 1 AS relative_upper,
    CASE
        WHEN constant THEN CASE WHEN abs(delta) <= rounding THEN 1e0 END
        WHEN $variance = 'delta' THEN normal_p(delta / nullif(se, 0))
        ELSE student_t_p(delta / nullif(se, 0), df)
    END AS p,
    n_control, n, se,
    CASE WHEN NOT constant THEN delta / nullif(se, 0) END AS statistic,
    CASE WHEN NOT constant THEN df END AS df
FROM tested
ORDER BY arm;
