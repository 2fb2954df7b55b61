-- name:     pooled_estimates
-- title:    Mean of the estimates of a family, and how much they vary beyond their standard errors
-- inputs:   estimates (family, slice, estimate, se, df)
-- grain:    family
-- formula:  q = sum of w * (x - m)^2, w = 1 / se^2, m = sum of w * x / sum of w; tau2 = max(0, (q - (n - 1)) / (sum
--           of w - sum of w^2 / sum of w)); mean as m with w = 1 / (se^2 + tau2), whose sum is 1 / mean_se^2; excess =
--           sum of (1 - w / sum of w)^2 / df
-- source:   Cochran, Biometrics 1954, doi:10.2307/3001666; DerSimonian and Laird, Controlled Clinical Trials 1986,
--           doi:10.1016/0197-2456(86)90046-2; excess: Welch, Biometrika 1951, doi:10.1093/biomet/38.3-4.330
-- note:     an estimate that is NULL, or without a positive standard error, is left out
WITH weighed AS (
    SELECT family, estimate, se, df, 1 / nullif(se * se, 0) AS weight
    FROM estimates
    WHERE estimate IS NOT NULL AND se > 0
),
totals AS (
    SELECT family, sum(weight) AS total, sum(weight * estimate) / nullif(sum(weight), 0) AS mean
    FROM weighed
    GROUP BY family
),
spreads AS (
    SELECT
        weighed.family,
        count(*) AS n,
        sum(weighed.weight * (weighed.estimate - totals.mean) * (weighed.estimate - totals.mean)) AS q,
        max(totals.total) - sum(weighed.weight * weighed.weight) / nullif(max(totals.total), 0) AS scale,
        sum((1 - weighed.weight / nullif(totals.total, 0)) * (1 - weighed.weight / nullif(totals.total, 0))
            / nullif(weighed.df, 0)) AS excess
    FROM weighed
    JOIN totals ON totals.family = weighed.family
    GROUP BY weighed.family
),
variances AS (
    SELECT
        family, n, q, excess,
        CASE WHEN n > 1 THEN greatest(0e0, (q - (n - 1)) / nullif(scale, 0)) END AS tau2
    FROM spreads
)
SELECT
    variances.family, variances.n, variances.q, variances.excess, variances.tau2,
    sum(weighed.estimate / nullif(weighed.se * weighed.se + coalesce(variances.tau2, 0e0), 0))
        / nullif(sum(1 / nullif(weighed.se * weighed.se + coalesce(variances.tau2, 0e0), 0)), 0) AS mean,
    1 / nullif(sqrt(sum(1 / nullif(weighed.se * weighed.se + coalesce(variances.tau2, 0e0), 0))), 0) AS mean_se
FROM variances
JOIN weighed ON weighed.family = variances.family
GROUP BY variances.family, variances.n, variances.q, variances.excess, variances.tau2;
