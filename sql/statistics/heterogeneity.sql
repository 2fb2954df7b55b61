-- name:     heterogeneity
-- title:    Cochran's Q: do estimates of slices differ by more than chance explains?
-- meaning:  Cochran's Q compares the estimates of slices, such as the difference of two models in each country. It
--           shows whether they differ from each other by more than their standard errors explain.
-- use:      to check whether a change has the same effect in every slice
-- beware:   one slice may differ from 0 and another one not, although the two do not differ from each other; if units
--           are in several slices, p is too large
-- reading:  p < 0.05: the effect is not the same in every slice
--           p >= 0.05: chance can explain the differences between the slices
--           i2 = 0.75: chance does not explain three quarters of the variation of the estimates
-- inputs:   estimates (family, slice, estimate, se, df)
-- optional: df = 1e12
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- values:   level: as in mean_interval
-- grain:    one row per family: family, n, q, df, p, i2, tau2, mean, se, lower, upper
-- range:    [0, inf], and p and i2 in [0, 1]
-- formula:  q = sum of w * (x - m)^2, w = 1 / se^2, m the mean with weights w, df = n - 1; i2 = max(0, (q - df) / q);
--           tau2 = max(0, (q - df) / (sum of w - sum of w^2 / sum of w)), the variance between the slices; mean has
--           the weights 1 / (se^2 + tau2), whose sum is 1 / se^2 of the mean. p comes from Welch's F: q / df / (1 + 2
--           (n - 2) / (n^2 - 1) * e) with df and (n^2 - 1) / (3 e) degrees of freedom, e = sum of (1 - w / sum of
--           w)^2 / df of the estimate; without df, from the chi-square distribution
-- tex:      Q = \sum_i w_i \left(x_i - \bar{x}_w\right)^2 \qquad I^2 = \max\left(0, \frac{Q - (n - 1)}{Q}\right)
-- symbols:  x_i: the estimate of slice i
--           w_i: 1 divided by the square of its standard error
--           \bar{x}_w: the mean of the estimates with these weights
--           n: the number of slices
-- source:   Cochran, Biometrics 1954, doi:10.2307/3001666; DerSimonian and Laird, Controlled Clinical Trials 1986,
--           doi:10.1016/0197-2456(86)90046-2; Higgins and Thompson, Statistics in Medicine 2002,
--           doi:10.1002/sim.1186; Welch, Biometrika 1951, doi:10.1093/biomet/38.3-4.330
-- oracle:   statsmodels.stats.meta_analysis.combine_effects, statsmodels.stats.oneway.anova_oneway(use_var='unequal')
-- example:  heterogeneity(VALUES ('m', 'DE', 1, 1, 1e12), ('m', 'US', 4, 1, 1e12)) = 'm', 2, 4.5, 1,
--           0.03389485352468927, 0.7777777777777778, 3.5, 2.5, 1.5, -0.4399459768100802, 5.4399459768100815
-- related:  shrinkage, paired_t, unpaired_t, adjusted_p
-- note:     df in the input is the number of degrees of freedom of the standard error. It keeps the level of the test
--           if slices have few units: with 8 slices of 20 units, the chi-square distribution rejects in 7 to 14 % of
--           cases. An estimate is left out if it is NULL, or if its standard error is not positive. With one slice,
--           there is no p
WITH scaled AS (
    -- A separate step, because DuckDB repeats the arguments of a macro.
    SELECT
        family, n, q, tau2, mean, mean_se, excess,
        CAST(n AS DOUBLE) - 1 AS exact_df,
        q / nullif((n - 1) * (1 + 2e0 * (n - 2) / nullif(CAST(n AS DOUBLE) * n - 1, 0) * excess), 0) AS f,
        (CAST(n AS DOUBLE) * n - 1) / nullif(3 * excess, 0) AS denominator_df
    FROM pooled_estimates
)
SELECT
    family, n,
    CASE WHEN n > 1 THEN q END AS q,
    n - 1 AS df,
    CASE
        WHEN n < 2 THEN NULL
        WHEN excess > 1e-9 THEN f_sf(f, exact_df, denominator_df)
        ELSE chi_square_sf(q, exact_df)
    END AS p,
    CASE WHEN n > 1 THEN coalesce(greatest(0e0, (q - exact_df) / nullif(q, 0)), 0e0) END AS i2,
    tau2, mean,
    mean_se AS se,
    mean - normal_quantile(0.5e0 + 0.5e0 * $level) * mean_se AS lower,
    mean + normal_quantile(0.5e0 + 0.5e0 * $level) * mean_se AS upper
FROM scaled;
