-- name:     sequential_sample_ratio
-- title:    Sample ratio mismatch that you may look for every day
-- meaning:  The test shows whether the arms of a running experiment have the planned shares of units. Its p-value holds
--           at every look, so you can check the assignment every day.
-- use:      to check the assignment of an A/B test again and again while it runs
-- beware:   count the units that were assigned, such as users; the treatment itself can change the number of page
--           views
-- reading:  p < 0.001: the arms differ from the plan by more than chance explains, however often you looked
--           p >= 0.001: chance can explain the differences from the plan
-- inputs:   counts (observed, expected)
-- optional: expected = 1
-- params:   alpha DOUBLE DEFAULT 0.001 CHECK (alpha > 0 AND alpha < 1),
--           planned INTEGER DEFAULT 5000 CHECK (planned > 0)
-- values:   alpha: as in sample_ratio
--           planned: how many units of all arms the check should be most sensitive for
-- grain:    one row: statistic, df, p, n, mismatch
-- range:    [-inf, inf], and p in [0, 1]
-- formula:  statistic = ln B(a + x) - ln B(a) - sum of x_i * ln(s_i), x_i the units and s_i the planned share of arm
--           i, a_i = s_i * prior_units(planned), B the multivariate beta function; p = min(1, exp(-statistic)), df =
--           arms - 1; mismatch = p < alpha
-- tex:      p = \min\left(1, \frac{B(a) \prod_i s_i^{x_i}}{B(a + x)}\right) \qquad a_i = w \, s_i
-- symbols:  x_i: the number of units in arm i
--           s_i: the planned share of arm i
--           w: the number of units that the prior is worth, planned / 8.212
--           B: the multivariate beta function
-- source:   Lindon and Malek, Anytime-valid inference for multinomial count data, NeurIPS 2022, arXiv:2011.03567
-- oracle:   the Dirichlet-multinomial likelihood with lgamma
-- example:  sequential_sample_ratio(VALUES (50412, 1), (49588, 1)) = 0.8203003779305167, 1,
--           0.4402993784244871, 100000, FALSE
-- related:  sample_ratio, sequential_mean, sequential_ratio, binomial_test
-- note:     expected has counts or shares: only their proportions matter. If there is a mismatch, do not trust any
--           comparison of the arms; first find out where units were lost. With a single arm, there is no p. Choose
--           planned before the first look, and keep it. If an arm without a planned share has a unit, this is a
--           mismatch
WITH totals AS (
    SELECT sum(CAST(observed AS DOUBLE)) AS observed, sum(CAST(expected AS DOUBLE)) AS expected
    FROM counts
),
arms AS (
    SELECT
        CAST(counts.observed AS DOUBLE) AS observed,
        counts.expected / nullif(totals.expected, 0) AS share,
        prior_units($planned) AS prior
    FROM counts
    CROSS JOIN totals
    WHERE counts.observed > 0 OR counts.expected > 0
),
summed AS (
    SELECT
        -- The logarithms of the gamma functions by Stirling's formula, with the large parts taken together: alone, they
        -- would lose digits.
        sum(CASE
            WHEN share = 0 THEN CAST('inf' AS DOUBLE)
            ELSE deviance(share * prior + observed, share * (prior + total))
                - 0.5e0 * log1p(observed / nullif(share * prior, 0))
                + stirling_error(share * prior + observed) - stirling_error(share * prior)
        END) + max(0.5e0 * log1p(total / nullif(prior, 0)) + stirling_error(prior) - stirling_error(prior + total))
            AS statistic,
        count(*) - 1 AS df,
        sum(observed) AS n
    FROM (SELECT observed, share, prior, sum(observed) OVER () AS total FROM arms) AS counted
    HAVING count(*) > 0
)
SELECT
    statistic, df,
    CASE WHEN df > 0 THEN least(1e0, exp(-statistic)) END AS p,
    n,
    CASE WHEN df > 0 THEN exp(-statistic) < $alpha END AS mismatch
FROM summed;
