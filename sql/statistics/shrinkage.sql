-- name:     shrinkage
-- title:    Estimates of slices, moved toward their common mean
-- meaning:  The estimate of a small slice is often far from the truth by chance. Shrinkage moves every estimate toward
--           the mean of all slices. Uncertain estimates move most.
-- use:      to judge the best and the worst of many slices, which chance otherwise exaggerates
-- beware:   use slices of one kind, because the method assumes that their effects come from one distribution; with few
--           slices, the variance of this distribution is itself uncertain
-- reading:  shrunk = mean of all slices: nothing shows that this slice differs from the others
--           shrunk = estimate: the standard error is small compared with the variation between slices
-- inputs:   estimates (family, slice, estimate, se, df)
-- optional: df = 1e12
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- values:   level: as in mean_interval
-- grain:    one row per family and slice: family, slice, estimate, se, shrunk, shrunk_se, lower, upper
-- range:    (-inf, inf)
-- formula:  shrunk = mean + (1 - b) * (estimate - mean), b = se^2 / (se^2 + tau2), mean and tau2 as in heterogeneity;
--           shrunk_se^2 = (1 - b) * se^2 + b^2 * mean_se^2
-- tex:      \tilde{x}_i = \bar{x} + (1 - B_i)(x_i - \bar{x}) \qquad B_i = \frac{s_i^2}{s_i^2 + \tau^2}
-- symbols:  x_i: the estimate of slice i
--           s_i: its standard error
--           \bar{x}: the mean of the slices
--           \tau^2: the variance between the slices
-- source:   Efron and Morris, Journal of the American Statistical Association 1975, doi:10.2307/2285814;
--           DerSimonian and Laird, Controlled Clinical Trials 1986, doi:10.1016/0197-2456(86)90046-2
-- oracle:   none
-- example:  shrinkage(VALUES ('m', 'DE', 1, 1, 1e12), ('m', 'US', 4, 1, 1e12)) = 'm', 'DE', 1, 1, 1.3333333333333335,
--           0.9428090415820634, -0.5145384324662365, 3.1812050991329035; 'm', 'US', 4, 1, 3.6666666666666665,
--           0.9428090415820634, 1.818794900867097, 5.514538432466237
-- related:  heterogeneity
-- note:     an estimate is left out if it is NULL, or if its standard error is not positive. The interval treats tau2
--           as known, so it is a little too narrow if there are few slices
WITH shares AS (
    SELECT
        estimates.family, estimates.slice, estimates.estimate, estimates.se, pooled.mean, pooled.mean_se,
        estimates.se * estimates.se / nullif(estimates.se * estimates.se + coalesce(pooled.tau2, 0e0), 0) AS b
    FROM estimates
    JOIN pooled_estimates AS pooled ON pooled.family = estimates.family
    WHERE estimates.estimate IS NOT NULL AND estimates.se > 0
),
shrunken AS (
    SELECT
        family, slice, estimate, se,
        mean + (1 - b) * (estimate - mean) AS shrunk,
        sqrt((1 - b) * se * se + b * b * mean_se * mean_se) AS shrunk_se
    FROM shares
)
SELECT
    family, slice, estimate, se, shrunk, shrunk_se,
    shrunk - normal_quantile(0.5e0 + 0.5e0 * $level) * shrunk_se AS lower,
    shrunk + normal_quantile(0.5e0 + 0.5e0 * $level) * shrunk_se AS upper
FROM shrunken;
