-- name:     mann_whitney
-- title:    Mann-Whitney U test against a control
-- meaning:  The test shows whether the values of an arm tend to be larger than the values of a control. Its auc is
--           the probability that a random value of the arm is the larger one; ties count one half.
-- use:      when a few very large values dominate the mean, such as revenue per user
-- beware:   a few users with very large values change the mean, but barely change auc; give one value per user
-- reading:  auc = 0.5: the values of neither arm tend to be larger
--           auc = 1: every value of the arm is larger than every value of the control
--           p < 0.05: one arm tends to have larger values by more than chance explains
-- inputs:   observations (arm, value)
-- params:   control VARCHAR, exact BOOLEAN DEFAULT NULL
-- values:   control: as in welch_t
--           exact: whether p comes from all orders of the values; by default if they are few
-- grain:    one row per arm but the control: arm, auc, p, n_control, n, u, statistic, exact
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  u = number of pairs in which the arm has the larger value, ties 1/2; auc = u / (n_control * n); statistic
--           = sign(d) * max(abs(d) - 1/2, 0) / sd, d = u - n_control * n / 2, sd^2 = n_control * n / 12 * (N + 1 -
--           sum of (t^3 - t) / (N (N - 1))), N = n_control + n, t the sizes of ties;
--           exact: p is the share of all orders of the values with abs(d) at least as large as the observed one
-- tex:      \mathrm{AUC} = \frac{U}{n_c \, n} \qquad
--           z = \frac{\mathrm{sign}(d) \max(|d| - 1/2, \, 0)}{\sigma} \qquad d = U - \frac{n_c \, n}{2}
-- symbols:  U: the number of pairs in which the arm has the larger value, ties count one half
--           n: the number of values of the arm
--           n_c: the number of values of the control
--           \sigma: the standard deviation of U if the arms do not differ, corrected for ties
-- source:   Mann and Whitney, Annals of Mathematical Statistics 1947, doi:10.1214/aoms/1177730491
-- oracle:   scipy.stats.mannwhitneyu(method='asymptotic'); exact: scipy.stats.mannwhitneyu(method='exact')
-- example:  mann_whitney(VALUES ('A', 1), ('A', 2), ('B', 3), ('B', 4); control := 'A') = 'B', 1, 0.3333333333333333,
--           2, 2, 4, 1.161895003862225, TRUE
-- related:  welch_t, wilcoxon, auc, delong
-- warning:  it tests whether the values of one arm tend to be larger; it does not compare means
-- note:     by default, p is exact if n * n_control is at most 10000, such as 100 values per arm, also with ties;
--           exact=true allows 40000. Both need n + n_control of at most 1000. Otherwise p is a normal approximation
--           with the continuity correction, exact is FALSE, and a p far below 0.001 is a rough one. A value that is
--           NULL is left out; if all values are equal, p is 1
WITH moments AS (
    SELECT
        arm, n_control, n, u,
        u - 0.5e0 * n_control * n AS surplus,
        n_control * n * (total + 1 - alikeness / nullif(total * (total - 1), 0)) / nullif(12e0, 0) AS variance
    FROM won_pairs
),
tested AS (
    SELECT
        arm, n_control, n, u, variance,
        CASE WHEN variance > 0
            THEN sign(surplus) * greatest(abs(surplus) - 0.5e0, 0e0) / nullif(sqrt(variance), 0) END AS statistic
    FROM moments
)
SELECT
    tested.arm, tested.u / nullif(tested.n_control * tested.n, 0) AS auc,
    CASE
        WHEN exact_won_pairs.p IS NOT NULL THEN exact_won_pairs.p
        WHEN tested.statistic IS NULL THEN 1e0
        ELSE normal_p(tested.statistic)
    END AS p,
    CAST(tested.n_control AS BIGINT) AS n_control, CAST(tested.n AS BIGINT) AS n, tested.u, tested.statistic,
    exact_won_pairs.p IS NOT NULL AS exact
FROM tested
LEFT JOIN exact_won_pairs ON exact_won_pairs.arm = tested.arm
ORDER BY tested.arm;
