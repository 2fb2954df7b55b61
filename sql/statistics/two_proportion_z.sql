-- name:     two_proportion_z
-- title:    z-test of a proportion against a control
-- meaning:  The test compares the share of hits in an arm, such as a conversion rate, with the share in a control. It
--           reports the difference, its interval and whether chance explains it.
-- use:      when each unit is a hit or a miss, such as users who buy or do not buy
-- beware:   impressions of the same user are correlated and make p too small; use ratio_delta for clicks per
--           impression
-- reading:  p < 0.05: the difference from the control is larger than chance explains
--           relative_change = 0.1: the proportion is 10% higher than that of the control
-- inputs:   proportions (arm, hits, n)
-- params:   control VARCHAR, level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- values:   control: as in welch_t
--           level: as in mean_interval
-- grain:    one row per arm but the control: arm, control_proportion, proportion, delta, delta_lower, delta_upper,
--           relative_change, relative_lower, relative_upper, p, n_control, n, cohen_h, statistic
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  statistic = delta / sqrt(q * (1 - q) * (1 / n_control + 1 / n)), q the proportion of both arms together;
--           the interval of delta is Newcombe's, from two Wilson intervals; relative_change = r - 1, r = proportion /
--           control_proportion, between r * exp(-+ z * sqrt(1 / hits - 1 / n + 1 / control_hits - 1 / n_control)) -
--           1; cohen_h = 2 * asin(sqrt(proportion)) - 2 * asin(sqrt(control_proportion))
-- tex:      z = \frac{p - p_c}{\sqrt{q \, (1 - q) \left(\frac{1}{n_c} + \frac{1}{n}\right)}} \qquad
--           q = \frac{h + h_c}{n + n_c}
-- symbols:  p: the proportion of the arm, h / n
--           p_c: the proportion of the control, h_c / n_c
--           h, h_c: the numbers of hits of the arm and of the control
--           n, n_c: the numbers of trials of the arm and of the control
--           q: the proportion of both arms together
-- source:   Newcombe, Statistics in Medicine 1998,
--           doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I; ratio: Katz et al., Biometrics
--           1978, doi:10.2307/2530610; cohen_h: Cohen, 1988, doi:10.4324/9780203771587
-- oracle:   statsmodels.stats.proportion: proportions_ztest, confint_proportions_2indep(method='newcomb')
-- example:  two_proportion_z(VALUES ('A', 0, 10), ('B', 5, 10); control := 'A') = 'B', 0, 0.5, 0.5,
--           0.11736746745022203, 0.7634069094874361, NULL, NULL, NULL, 0.009823274507519249, 10, 10,
--           1.5707963267948966, 2.581988897471611
-- related:  wilson_interval, fisher_exact, ratio_delta, sample_ratio
-- note:     rows of the same arm add up; a row with a NULL is left out. An arm without hits has no relative interval;
--           if both arms have no hits, or only hits, p is 1. With few hits, use fisher_exact; with one trial in an arm,
--           p is NULL. p comes from the pooled z-test, and the interval is Newcombe's: with small arms, one in fifty
--           has p < 0.05 and 0 inside the interval; choose one of the two before the test
WITH arms AS (
    SELECT
        CAST(arm AS VARCHAR) = $control AS is_control, arm,
        CAST(sum(hits) AS DOUBLE) AS hits,
        CAST(sum(n) AS DOUBLE) AS n,
        CAST(sum(hits) AS DOUBLE) / nullif(CAST(sum(n) AS DOUBLE), 0) AS share,
        normal_quantile(0.5e0 + 0.5e0 * $level) AS z
    FROM proportions
    WHERE hits IS NOT NULL AND n IS NOT NULL
    GROUP BY arm
    HAVING sum(n) > 0 AND sum(hits) >= 0 AND sum(hits) <= sum(n)
),
centers AS (
    SELECT
        is_control, arm, hits, n, share, z,
        (hits + 0.5e0 * z * z) / nullif(n + z * z, 0) AS center,
        z * sqrt(n * share * (1 - share) + 0.25e0 * z * z) / nullif(n + z * z, 0) AS half
    FROM arms
),
compared AS (
    SELECT
        treated.arm,
        control.n AS n_control, treated.n,
        control.share AS control_proportion, treated.share AS proportion,
        treated.share - control.share AS delta,
        sqrt(power(treated.share - treated.center + treated.half, 2e0)
            + power(control.center + control.half - control.share, 2e0)) AS below,
        sqrt(power(treated.center + treated.half - treated.share, 2e0)
            + power(control.share - control.center + control.half, 2e0)) AS above,
        treated.share / nullif(control.share, 0) AS ratio,
        exp(treated.z * sqrt((1 - treated.share) / nullif(treated.hits, 0)
            + (1 - control.share) / nullif(control.hits, 0))) AS factor,
        sqrt((control.hits + treated.hits) * (control.n + treated.n - control.hits - treated.hits)
            / nullif(control.n * treated.n * (control.n + treated.n), 0)) AS se
    FROM centers AS treated
    JOIN centers AS control ON control.is_control AND NOT treated.is_control
)
SELECT
    arm, control_proportion, proportion, delta,
    delta - below AS delta_lower,
    delta + above AS delta_upper,
    ratio - 1 AS relative_change,
    ratio / nullif(factor, 0) - 1 AS relative_lower,
    ratio * factor - 1 AS relative_upper,
    CASE WHEN least(n, n_control) < 2 THEN NULL WHEN se = 0 THEN 1e0 ELSE normal_p(delta / nullif(se, 0)) END AS p,
    n_control, n,
    2e0 * asin(sqrt(proportion)) - 2e0 * asin(sqrt(control_proportion)) AS cohen_h,
    delta / nullif(se, 0) AS statistic
FROM compared
ORDER BY arm;
