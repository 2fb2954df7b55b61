-- name:     adjusted_p
-- alias:    bonferroni (method = bonferroni), holm (method = holm), hochberg (method = hochberg),
--           benjamini_hochberg (method = benjamini_hochberg), benjamini_yekutieli (method = benjamini_yekutieli)
-- title:    p-values adjusted for the number of tests
-- meaning:  An adjusted p-value accounts for the number of tests. If you test 20 differences that do not exist, about
--           one test has p < 0.05 by chance.
-- use:      when you compare several systems, metrics or slices and decide by the p-values
-- beware:   the correction covers only the p-values that you pass; pass every test that you ran, not only the
--           promising ones
-- reading:  p_adjusted < 0.05: the test remains significant after the correction
--           p_adjusted >= 0.05: chance can explain a p-value this small among this many tests
-- inputs:   p_values (test, p)
-- params:   method VARCHAR DEFAULT 'holm' CHECK (method IN
--               ('bonferroni', 'holm', 'hochberg', 'benjamini_hochberg', 'benjamini_yekutieli'))
-- values:   method=bonferroni: controls the chance of any false discovery; the most conservative
--           method=holm: as bonferroni, with more power
--           method=hochberg: as holm, for independent or positively dependent tests
--           method=benjamini_hochberg: controls the share of false discoveries in such tests
--           method=benjamini_yekutieli: controls the share of false discoveries, whatever the dependence
-- grain:    one row per test: test, p, p_adjusted
-- range:    [0, 1]
-- formula:  of m p-values in ascending order, the i-th becomes: bonferroni: m * p_i; holm: the largest (m - j + 1) *
--           p_j of all j <= i; hochberg: the smallest (m - j + 1) * p_j of all j >= i; benjamini_hochberg: the
--           smallest m / j * p_j of all j >= i; benjamini_yekutieli: that times 1 + 1/2 + ... + 1/m; never more than
--           1
-- tex:      p^{\mathrm{holm}}_i = \min\left(1, \max_{j \le i} (m - j + 1) \, p_j\right) \qquad
--           p^{\mathrm{bh}}_i = \min\left(1, \min_{j \ge i} \frac{m}{j} \, p_j\right)
-- symbols:  p_j: the j-th smallest p-value
--           m: the number of tests
--           p^{\mathrm{holm}}_i: the adjusted i-th smallest p-value, with method=holm
--           p^{\mathrm{bh}}_i: the adjusted i-th smallest p-value, with method=benjamini_hochberg
-- source:   Holm, Scandinavian Journal of Statistics 1979; Hochberg, Biometrika 1988, doi:10.1093/biomet/75.4.800;
--           Benjamini and Hochberg, Journal of the Royal Statistical Society B 1995,
--           doi:10.1111/j.2517-6161.1995.tb02031.x; Benjamini and Yekutieli, Annals of Statistics 2001,
--           doi:10.1214/aos/1013699998
-- oracle:   statsmodels.stats.multitest.multipletests
-- example:  adjusted_p(VALUES ('a', 0.01), ('b', 0.02), ('c', 0.5)) = 'a', 0.01, 0.03; 'b', 0.02, 0.04; 'c', 0.5, 0.5
-- related:  paired_t, randomization_test, tukey_hsd, two_proportion_z
-- note:     a p that is NULL or NaN stays NULL and does not count. bonferroni and holm hold under any dependence,
--           hochberg and benjamini_hochberg under independence and positive dependence. The last two methods control
--           the share of false discoveries; the others control the chance of any false discovery
WITH known AS (
    SELECT test, nullif(CAST(p AS DOUBLE), CAST('nan' AS DOUBLE)) AS p
    FROM p_values
),
placed AS (
    SELECT
        test, p,
        count(*) OVER () AS m,
        row_number() OVER (ORDER BY p, test) AS place
    FROM known
    WHERE p IS NOT NULL
),
scaled AS (
    SELECT
        test, p, place,
        least(1e0, CASE $method
            WHEN 'bonferroni' THEN m * p
            WHEN 'holm' THEN (m - place + 1) * p
            WHEN 'hochberg' THEN (m - place + 1) * p
            WHEN 'benjamini_hochberg' THEN p * m / nullif(place, 0)
            WHEN 'benjamini_yekutieli' THEN p * m / nullif(place, 0) * sum(1e0 / nullif(place, 0)) OVER ()
        END) AS p_scaled
    FROM placed
)
SELECT
    test, p,
    CASE
        WHEN $method = 'bonferroni' THEN p_scaled
        WHEN $method = 'holm' THEN max(p_scaled) OVER (
            ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
        ELSE min(p_scaled) OVER (ORDER BY place ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
    END AS p_adjusted
FROM scaled
UNION ALL
SELECT test, p, p AS p_adjusted
FROM known
WHERE p IS NULL;
