-- name:     paired_tost
-- title:    Paired t-tests of a margin: not worse, and equivalent
-- meaning:  These tests show whether the mean of a system is close enough to the mean of a baseline. You set the
--           margin: how large a difference may be. One test asks whether the system loses less than the margin. Another
--           test asks whether it gains less than the margin. If both hold, the system is equivalent (TOST: two
--           one-sided tests).
-- use:      to release a cheaper or simpler system that is not worse by more than a margin
-- beware:   choose the margin before you look at the data; a p of paired_t above 0.05 does not show that two systems
--           are equivalent
-- reading:  p_higher < 0.05: the mean is above the baseline mean minus the margin: not worse, if higher is better
--           p_lower < 0.05: the mean is below the baseline mean plus the margin: not worse, if lower is better
--           p_equivalent < 0.05: the means differ by less than the margin
-- inputs:   per_query (system, metric, query_id, value)
-- params:   baseline VARCHAR, margin DOUBLE CHECK (margin > 0), relative BOOLEAN DEFAULT FALSE,
--           alpha DOUBLE DEFAULT 0.05 CHECK (alpha > 0 AND alpha < 0.5)
-- values:   margin: the smallest difference that matters; a share if relative is true
--           relative: whether the margin is a share of the absolute mean of the baseline
--           alpha: the significance level of each one-sided test
-- grain:    one row per system and metric: system, metric, n, baseline_mean, mean, delta, se, margin, delta_lower,
--           delta_upper, statistic_higher, statistic_lower, df, p_higher, p_lower, p_equivalent
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  statistic_higher = (delta + margin) / se, statistic_lower = (delta - margin) / se, df = n - 1; p_higher =
--           P(T >= statistic_higher), p_lower = P(T <= statistic_lower), p_equivalent the larger of both. If relative,
--           the tests are those of the means of value - (1 - m) * baseline_value and value - (1 + m) *
--           baseline_value, m the share; for a negative mean of the baseline, the other way round
-- tex:      t_{\mathrm{higher}} = \frac{\bar{d} + m}{s / \sqrt{n}} \qquad
--           t_{\mathrm{lower}} = \frac{\bar{d} - m}{s / \sqrt{n}}
-- symbols:  \bar{d}: the mean of the differences per query, system minus baseline
--           s: the standard deviation of the differences
--           n: the number of queries
--           m: the margin
-- source:   Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 1987, doi:10.1007/BF01068419; Fieller, Journal
--           of the Royal Statistical Society B 1954, doi:10.1111/j.2517-6161.1954.tb00159.x
-- oracle:   statsmodels.stats.weightstats.ttost_paired
-- example:  paired_tost(VALUES ('A', 'm', 1, 0), ('A', 'm', 2, 0), ('A', 'm', 3, 0), ('B', 'm', 1, 1), ('B', 'm', 2,
--           2), ('B', 'm', 3, 3); baseline := 'A', margin := 4) = 'B', 'm', 3, 0, 2, 2, 0.5773502691896257, 4,
--           0.3141455391529506, 3.6858544608470494, 10.392304845413264, -3.4641016151377544, 2, 0.0045663056931377274,
--           0.037089950113724256, 0.037089950113724256
-- related:  randomization_tost, paired_t, adjusted_p, mean_interval
-- note:     units without a value for the system or the baseline are left out. If all differences from a bound are
--           equal except for rounding, the statistic is NULL. p then comes from the one-sided sign test: 1 / 2^n if the
--           differences are on the right side of the bound, else 1. With one unit, there is a delta, but no interval
--           and no p. A relative margin needs a baseline with a mean other than 0. delta_lower and delta_upper are the
--           bounds of the interval of level 1 - 2 * alpha. If the margin is not relative, they lead to the same
--           decision as p
WITH shifted AS (
    SELECT
        system, metric, value, baseline_value, difference,
        difference + CASE WHEN $relative THEN $margin * baseline_value ELSE $margin END AS above,
        difference - CASE WHEN $relative THEN $margin * baseline_value ELSE $margin END AS below
    FROM differences
),
moments AS (
    SELECT
        system, metric, count(*) AS n,
        avg(baseline_value) AS baseline_mean, avg(value) AS mean, avg(difference) AS delta,
        avg(above) AS above, avg(below) AS below,
        CASE WHEN count(*) > 1 THEN stddev_samp(difference) END AS sd,
        CASE WHEN count(*) > 1 THEN stddev_samp(above) END AS above_sd,
        CASE WHEN count(*) > 1 THEN stddev_samp(below) END AS below_sd,
        CASE WHEN count(*) > 1 THEN 0.5e0 * (var_samp(value) + var_samp(baseline_value)) END AS mean_variance
    FROM shifted
    GROUP BY system, metric
),
turned AS (
    -- A share of a negative mean lies on the other side.
    SELECT moments.*,
        CASE
            WHEN NOT $relative THEN $margin
            WHEN abs(baseline_mean) > 1e-12 * greatest(abs(mean), sqrt(mean_variance)) THEN $margin * abs(baseline_mean)
        END AS margin,
        CASE WHEN $relative AND baseline_mean < 0 THEN below ELSE above END AS over,
        CASE WHEN $relative AND baseline_mean < 0 THEN below_sd ELSE above_sd END AS over_sd,
        CASE WHEN $relative AND baseline_mean < 0 THEN above ELSE below END AS under,
        CASE WHEN $relative AND baseline_mean < 0 THEN above_sd ELSE below_sd END AS under_sd,
        -- Equal values may differ by this rounding error, like sums in another order.
        1e-12 * greatest(abs(mean), abs(baseline_mean), sqrt(mean_variance)) AS rounding
    FROM moments
),
statistics AS (
    SELECT turned.*,
        n - 1 AS df, CAST(n - 1 AS DOUBLE) AS exact_df,
        CASE WHEN sd <= rounding THEN 0e0 ELSE sd / nullif(sqrt(n), 0) END AS se,
        CASE WHEN over_sd > rounding AND margin > 0 THEN over / nullif(over_sd, 0) * sqrt(n) END AS statistic_higher,
        CASE WHEN under_sd > rounding AND margin > 0 THEN under / nullif(under_sd, 0) * sqrt(n) END AS statistic_lower,
        CASE WHEN over > rounding THEN power(0.5e0, n) ELSE 1e0 END AS sign_higher,
        CASE WHEN under < -rounding THEN power(0.5e0, n) ELSE 1e0 END AS sign_lower
    FROM turned
),
tested AS (
    -- A separate step, because DuckDB repeats the arguments of a macro.
    SELECT statistics.*,
        student_t_critical(2 * $alpha, exact_df) AS critical,
        CASE WHEN over_sd <= rounding AND margin > 0 THEN sign_higher
            ELSE student_t_sf(statistic_higher, exact_df) END AS p_higher,
        CASE WHEN under_sd <= rounding AND margin > 0 THEN sign_lower
            ELSE student_t_sf(-statistic_lower, exact_df) END AS p_lower
    FROM statistics
)
SELECT
    system, metric, n, baseline_mean, mean, delta, se, margin,
    delta - critical * se AS delta_lower, delta + critical * se AS delta_upper,
    statistic_higher, statistic_lower, df, p_higher, p_lower,
    CASE WHEN p_higher >= p_lower THEN p_higher WHEN p_higher < p_lower THEN p_lower END AS p_equivalent
FROM tested;
