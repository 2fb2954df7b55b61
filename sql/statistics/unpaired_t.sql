-- name:     unpaired_t
-- title:    Welch's t-test of systems with other units than the baseline
-- meaning:  The unpaired t-test shows whether the mean of a system differs from the mean of a baseline by more than
--           chance explains. The system and the baseline have different units, such as different users, weeks or
--           countries.
-- use:      to compare systems that have no queries or users in common
-- beware:   units that are in both systems make the two means depend on each other; if 20 skewed values are compared
--           with 200, p is below 0.05 in about 9 % of comparisons of equal systems
-- reading:  p < 0.05: the difference from the baseline is larger than chance explains
--           p >= 0.05: chance can explain the difference; this does not prove that it is 0
--           abs(delta) < mde: the test often misses a true difference of this size
-- inputs:   per_query (system, metric, query_id, value)
-- params:   baseline VARCHAR, level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1),
--           alpha DOUBLE DEFAULT 0.05 CHECK (alpha > 0 AND alpha < 1),
--           power DOUBLE DEFAULT 0.8 CHECK (power > 0 AND power < 1)
-- values:   baseline: as in relations/inference/differences
--           level: as in mean_interval
--           alpha: as in paired_t
--           power: as in paired_t
-- grain:    one row per system and metric: system, metric, n_baseline, n, baseline_mean, mean, delta, se, delta_lower,
--           delta_upper, relative_change, relative_lower, relative_upper, effect_size, statistic, df, p, mde
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  statistic = delta / se, se^2 = var / n of both systems, df = se^4 / sum of (var / n)^2 / (n - 1);
--           relative_change = delta / abs(baseline_mean), between r * exp(-+ t * s) - 1, r = mean / baseline_mean, s
--           and df as se and df above with var / mean^2 in place of var; effect_size = delta / pooled sd (Cohen's d);
--           mde = student_t_mde(se, df, alpha, power)
-- tex:      t = \frac{\bar{x} - {\bar{x}}_b}{\sqrt{s^2 / n + s_b^2 / n_b}}
-- symbols:  \bar{x}, {\bar{x}}_b: the means of the system and of the baseline
--           s^2, s_b^2: the variances of the values of their units
--           n, n_b: the numbers of their units
-- source:   Welch, Biometrika 1947, doi:10.1093/biomet/34.1-2.28; Satterthwaite, Biometrics Bulletin 1946,
--           doi:10.2307/3002019; Cohen, 1988, doi:10.4324/9780203771587
-- oracle:   scipy.stats.ttest_ind(equal_var=False)
-- example:  unpaired_t(VALUES ('A', 'm', 1, 0), ('A', 'm', 2, 2), ('B', 'm', 3, 3), ('B', 'm', 4, 5); baseline := 'A')
--           = 'B', 'm', 2, 2, 1, 4, 3, 1.4142135623730951, -3.0848698445933085, 9.084869844593308, 3,
--           -0.9998392073791285, 99506.05395105417, 2.1213203435596424, 2.1213203435596424, 2, 0.16794970566215633,
--           8.147948674146718
-- related:  unpaired_randomization, paired_t, welch_t, heterogeneity, adjusted_p
-- note:     NULL values are left out. If the system or the baseline has only one unit, there is a delta, but no
--           interval and no p. If neither has any variance, p is 1 if the means are equal, else NULL. The relative
--           interval needs positive means. A test with the same numbers of units finds a difference of mde with
--           probability power
WITH arms AS (
    SELECT
        system, metric,
        count(*) AS n,
        avg(value) AS mean,
        CASE WHEN count(*) > 1 THEN var_samp(value) END AS variance,
        CASE WHEN count(*) > 1 THEN var_samp(value) / nullif(count(*), 0) END AS error,
        CASE WHEN count(*) > 1 AND avg(value) > 0
            THEN var_samp(value) / nullif(count(*) * avg(value) * avg(value), 0) END AS relative_error
    FROM per_query
    WHERE value IS NOT NULL
    GROUP BY system, metric
),
compared AS (
    SELECT
        own.system, own.metric,
        base.n AS n_baseline, own.n,
        base.mean AS baseline_mean, own.mean,
        own.mean - base.mean AS delta,
        sqrt(base.error + own.error) AS se,
        satterthwaite_df(base.error, base.n - 1, own.error, own.n - 1) AS df,
        sqrt(base.relative_error + own.relative_error) AS log_se,
        satterthwaite_df(base.relative_error, base.n - 1, own.relative_error, own.n - 1) AS log_df,
        -- A baseline that is 0 except for rounding has no relative change.
        own.mean / nullif(CASE
            WHEN abs(base.mean) > 1e-12 * greatest(abs(own.mean), sqrt(base.variance), sqrt(own.variance))
                THEN base.mean
        END, 0) AS ratio,
        -- Equal values may differ by this rounding error, like sums in another order.
        1e-12 * greatest(abs(base.mean), abs(own.mean)) AS rounding,
        ((base.n - 1) * base.variance + (own.n - 1) * own.variance) / nullif(base.n + own.n - 2, 0) AS pooled
    FROM arms AS own
    JOIN arms AS base ON base.metric = own.metric
    WHERE base.system = $baseline AND own.system <> $baseline
),
errors AS (
    -- A separate step, because DuckDB repeats the arguments of a macro.
    SELECT
        compared.*,
        se <= rounding AS constant,
        CASE WHEN se <= rounding THEN 0e0 ELSE student_t_critical(1 - $level, df) * se END AS half,
        CASE WHEN se <= rounding THEN 0e0 ELSE student_t_critical(1 - $level, log_df) * log_se END AS log_half,
        CASE WHEN se > rounding THEN delta / nullif(se, 0) END AS statistic
    FROM compared
)
SELECT
    system, metric, n_baseline, n, baseline_mean, mean, delta,
    CASE WHEN constant THEN 0e0 ELSE se END AS se,
    delta - half AS delta_lower, delta + half AS delta_upper,
    sign(baseline_mean) * (ratio - 1) AS relative_change,
    CASE WHEN baseline_mean > 0 AND mean > 0 THEN ratio * exp(-log_half) - 1 END AS relative_lower,
    CASE WHEN baseline_mean > 0 AND mean > 0 THEN ratio * exp(log_half) - 1 END AS relative_upper,
    CASE WHEN NOT constant THEN delta / nullif(sqrt(pooled), 0) END AS effect_size,
    statistic,
    CASE WHEN NOT constant THEN df END AS df,
    CASE WHEN constant THEN CASE WHEN abs(delta) <= rounding THEN 1e0 END ELSE student_t_p(statistic, df) END AS p,
    CASE WHEN NOT constant THEN student_t_mde(se, df, $alpha, $power) END AS mde
FROM errors;
