-- name:     paired_t
-- title:    Paired t-test against a baseline, with effect sizes
-- meaning:  The paired t-test shows whether the mean of a system differs from the mean of a baseline by more than
--           chance explains. It compares both on the same queries, so that hard queries do not hide the difference.
-- use:      to compare a system with a baseline on the same queries
-- beware:   with many queries even a useless difference is significant; decide by delta and its interval, not by p
--           alone
-- reading:  p < 0.05: the difference from the baseline is larger than chance explains
--           p >= 0.05: chance can explain the difference; this does not prove that it is 0
--           abs(delta) < mde: the test often misses a true difference of this size
-- inputs:   per_query (system, metric, query_id, value)
-- params:   baseline VARCHAR, level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1),
--           alpha DOUBLE DEFAULT 0.05 CHECK (alpha > 0 AND alpha < 1),
--           power DOUBLE DEFAULT 0.8 CHECK (power > 0 AND power < 1)
-- values:   level: as in mean_interval
--           alpha: the significance level that mde is computed for
--           power: the probability of finding a difference as large as mde
-- grain:    one row per system and metric: system, metric, n, baseline_mean, mean, delta, sd, se, delta_lower,
--           delta_upper, relative_change, relative_lower, relative_upper, effect_size, d_av, hedges_g, wins, ties,
--           losses, statistic, df, p, mde
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  statistic = delta / (sd / sqrt(n)), delta and sd of the differences, df = n - 1; effect_size is d_z =
--           delta / sd, d_av = delta / sqrt((var + baseline_var) / 2), hedges_g = d_z * (1 - 3 / (4 df - 1)); mde =
--           student_t_mde(se, df, alpha, power); relative_change = delta / abs(baseline_mean), its interval by the
--           delta method: the standard error is sd(difference - delta / baseline_mean * baseline_value) / (sqrt(n) *
--           abs(baseline_mean))
-- tex:      t = \frac{\bar{d}}{s / \sqrt{n}} \qquad d_z = \frac{\bar{d}}{s}
-- symbols:  \bar{d}: the mean of the differences per query, system minus baseline
--           s: the standard deviation of the differences
--           n: the number of queries
--           d_z: the effect size
-- source:   Student, Biometrika 1908, doi:10.1093/biomet/6.1.1; Lakens, Frontiers in Psychology 2013,
--           doi:10.3389/fpsyg.2013.00863
-- oracle:   scipy.stats.ttest_rel
-- example:  paired_t(VALUES ('A', 'm', 1, 0), ('A', 'm', 2, 0), ('A', 'm', 3, 0), ('B', 'm', 1, 1), ('B', 'm', 2, 2),
--           ('B', 'm', 3, 3); baseline := 'A') = 'B', 'm', 3, 0, 2, 2, 1, 0.5773502691896257, -0.4841377117503298,
--           4.48413771175033, NULL, NULL, NULL, 2, 2.82842712474619, 1.1428571428571428, 3, 0, 0, 3.464101615137755, 2,
--           0.07417990022744854, 3.326386117007697
-- related:  randomization_test, paired_bootstrap, wilcoxon, welch_t, adjusted_p
-- note:     units without a value on one side are left out. Differences of up to 1e-12 of the mean size of the values
--           are ties. If all differences are equal except for rounding, there is no statistic, no effect size and no
--           mde; p is 1 if they are 0, else it is the p of the sign test, 2 / 2^n. With one unit there is a delta,
--           but no interval and no p. A baseline whose mean is 0, except for rounding, has no
--           relative change. mde is the difference that a test with the same number of units finds with
--           probability power
WITH rounded AS (
    SELECT
        difference_sums.*,
        -- A baseline that is 0 except for rounding has no relative change.
        delta / nullif(CASE
            WHEN abs(baseline_mean) > 1e-12 * greatest(abs(mean), sqrt(mean_variance)) THEN baseline_mean
        END, 0) AS ratio,
        -- Equal values may differ by this rounding error, like sums in another order.
        1e-12 * greatest(abs(mean), abs(baseline_mean), sqrt(mean_variance)) AS rounding
    FROM difference_sums
),
errors AS (
    SELECT
        rounded.*,
        sign(baseline_mean) * ratio AS relative_change,
        n - 1 AS df, CAST(n - 1 AS DOUBLE) AS exact_df,
        CASE WHEN sd <= rounding THEN 0e0 ELSE sd / nullif(sqrt(n), 0) END AS se,
        CASE WHEN sd > rounding THEN sd / nullif(sqrt(n), 0) END AS error,
        CASE WHEN sd > rounding THEN delta / nullif(sd, 0) END AS effect_size,
        CASE WHEN sd > rounding THEN delta / nullif(sd, 0) * sqrt(n) END AS statistic,
        -- The delta method: the spread of difference - ratio * baseline_value, or 0 if only rounding remains.
        CASE WHEN sd * sd + ratio * ratio * baseline_variance - 2 * ratio * covariance
                <= 1e-13 * (sd * sd + ratio * ratio * baseline_variance) THEN 0e0
            ELSE sqrt(sd * sd + ratio * ratio * baseline_variance - 2 * ratio * covariance)
        END / nullif(sqrt(n) * abs(baseline_mean), 0) AS relative_se
    FROM rounded
),
tested AS (
    -- A separate step, because DuckDB repeats the arguments of a macro.
    SELECT
        errors.*,
        student_t_critical(1 - $level, exact_df) AS critical,
        student_t_p(statistic, exact_df) AS p
    FROM errors
)
SELECT
    system, metric, n, baseline_mean, mean, delta, sd, se,
    delta - critical * se AS delta_lower, delta + critical * se AS delta_upper,
    relative_change,
    relative_change - critical * relative_se AS relative_lower,
    relative_change + critical * relative_se AS relative_upper,
    effect_size, delta / nullif(sqrt(mean_variance), 0) AS d_av,
    effect_size * (1 - 3e0 / nullif(4e0 * df - 1, 0)) AS hedges_g,
    wins, ties, losses, statistic, df,
    CASE WHEN se = 0 AND abs(delta) <= rounding THEN 1e0 WHEN se = 0 THEN power(2e0, 1 - n) ELSE p END AS p,
    student_t_mde(error, exact_df, $alpha, $power) AS mde
FROM tested;
