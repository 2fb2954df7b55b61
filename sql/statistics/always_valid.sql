-- name:     always_valid
-- title:    Always-valid test against a baseline, for data that you look at again and again
-- meaning:  The test shows whether the mean of a system differs from the mean of a baseline, on the same queries. Its
--           p-value and interval hold at every look at growing data, so you can stop when you have seen enough.
-- use:      to compare a system with a baseline while queries still arrive
-- beware:   the interval is at least 1.5 times as wide as that of paired_t; if you look only once, use paired_t. If
--           nearly all differences are equal and a few others balance them, looks before 100 queries find too many
--           differences
-- reading:  p < 0.05: the difference from the baseline is larger than chance explains, however often you looked
--           p >= 0.05: not enough data yet; you may collect more and look again
--           delta_lower is NULL: too few queries for any interval
-- inputs:   per_query (system, metric, query_id, value)
-- params:   baseline VARCHAR, level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1),
--           planned INTEGER DEFAULT 1000 CHECK (planned > 0)
-- values:   level: how often the intervals of all looks contain the difference
--           planned: how many units should give the tightest interval
-- grain:    one row per system and metric: system, metric, n, delta, se, delta_lower, delta_upper, relative_change,
--           relative_lower, relative_upper, statistic, df, p
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  statistic = delta / se, se = sd / sqrt(n), df = n - 1; p = always_valid_p(statistic, df, n, planned): 1 /
--           the ratio of the likelihood under effects drawn from N(0, 1 / w) to that without an effect, w =
--           prior_units(planned); the bounds are delta -+ always_valid_critical(1 - level, df, n, planned) * se;
--           relative_change and its standard error as in paired_t
-- tex:      p = \min\left(1, \sqrt{c} \left(\frac{1 + t^2 / \nu}{1 + t^2 / (c \, \nu)}\right)^{-(\nu + 1) / 2}\right)
--           \qquad c = 1 + \frac{n}{w}
-- symbols:  t: the mean difference divided by its standard error
--           n: the number of queries
--           \nu: the degrees of freedom, n - 1
--           w: the number of queries that the prior is worth, planned / 8.212
-- source:   Johari, Koomen, Pekelis and Walsh, Operations Research 2022, doi:10.1287/opre.2021.2135; Waudby-Smith,
--           Arbour, Sinha, Kennedy and Ramdas, Annals of Statistics 2024, doi:10.1214/24-AOS2408; Student's t: Lindon,
--           Ham, Tingley and Bojinov, 2022, arXiv:2210.08589
-- oracle:   the formula in plain Python
-- example:  always_valid(VALUES ('A', 'm', 1, 0), ('A', 'm', 2, 0), ('A', 'm', 3, 0), ('B', 'm', 1, 1),
--           ('B', 'm', 2, 2), ('B', 'm', 3, 3); baseline := 'A') = 'B', 'm', 3, 2, 0.5773502691896257, NULL, NULL,
--           NULL, NULL, NULL, 3.464101615137755, 2, 0.9811131547830374
-- related:  paired_t, sequential_mean, sequential_ratio, adjusted_p
-- note:     units without a value for the system or the baseline are left out. p is the p-value of this look; the
--           smallest p of all looks is valid, too. Choose planned before the first look, and keep it. The value of a
--           unit must not change between two looks. If all differences are equal except for rounding, p is 1 if they
--           are 0, else (n + 1) / 2^n, the p of a sign test that holds at every look. With one unit, there is a delta,
--           but no p
WITH moments AS (
    SELECT
        system, metric, count(*) AS n,
        avg(baseline_value) AS baseline_mean,
        avg(difference) AS delta,
        CASE WHEN count(*) > 1 THEN stddev_samp(difference) END AS sd,
        CASE WHEN count(*) > 1 THEN var_samp(baseline_value) END AS baseline_variance,
        CASE WHEN count(*) > 1 THEN covar_samp(difference, baseline_value) END AS covariance,
        -- A baseline that is 0 except for rounding has no relative change.
        avg(difference) / nullif(CASE
            WHEN abs(avg(baseline_value)) > 1e-12 * greatest(abs(avg(value)),
                CASE WHEN count(*) > 1 THEN sqrt(0.5e0 * (var_samp(value) + var_samp(baseline_value))) END)
                THEN avg(baseline_value)
        END, 0) AS ratio,
        -- Equal values may differ by this rounding error, like sums in another order.
        1e-12 * greatest(abs(avg(value)), abs(avg(baseline_value)),
            CASE WHEN count(*) > 1 THEN sqrt(0.5e0 * (var_samp(value) + var_samp(baseline_value))) END) AS rounding
    FROM differences
    GROUP BY system, metric
),
errors AS (
    SELECT
        moments.*,
        n - 1 AS df,
        sign(baseline_mean) * ratio AS relative_change,
        CASE WHEN sd <= rounding THEN 0e0 ELSE sd / nullif(sqrt(n), 0) END AS se,
        CASE WHEN sd > rounding THEN delta / nullif(sd, 0) * sqrt(n) END AS statistic,
        CASE WHEN sd * sd + ratio * ratio * baseline_variance - 2 * ratio * covariance
                <= 1e-13 * (sd * sd + ratio * ratio * baseline_variance) THEN 0e0
            ELSE sqrt(sd * sd + ratio * ratio * baseline_variance - 2 * ratio * covariance)
        END / nullif(sqrt(n) * abs(baseline_mean), 0) AS relative_se
    FROM moments
),
tested AS (
    -- A separate step, because DuckDB repeats the arguments of a macro.
    SELECT
        errors.*,
        nullif(always_valid_critical(1 - $level, df, n, $planned), CAST('inf' AS DOUBLE)) AS critical,
        always_valid_p(statistic, df, n, $planned) AS p
    FROM errors
)
SELECT
    system, metric, n, delta, se,
    delta - critical * se AS delta_lower, delta + critical * se AS delta_upper,
    relative_change,
    relative_change - critical * relative_se AS relative_lower,
    relative_change + critical * relative_se AS relative_upper,
    statistic, df,
    CASE
        WHEN se = 0 AND abs(delta) <= rounding THEN 1e0
        -- Equal differences have equal signs: the p of a sign test that holds at every look.
        WHEN se = 0 THEN least(1e0, (n + 1e0) * power(2e0, -n))
        ELSE p
    END AS p
FROM tested;
