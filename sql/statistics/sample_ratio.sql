-- name:     sample_ratio
-- title:    Sample ratio mismatch: number of units per arm against the plan
-- meaning:  The test shows whether the arms of an experiment have the planned shares of units. A mismatch usually
--           means that users were lost or assigned to the wrong arm.
-- use:      to check the assignment of an A/B test before you read its results
-- beware:   count the units that were assigned, such as users; the treatment itself can change the number of page
--           views
-- reading:  p < 0.001: the arms differ from the plan by more than chance explains
--           p >= 0.001: chance can explain how the arms differ from the plan
-- inputs:   counts (observed, expected)
-- optional: expected = 1
-- params:   alpha DOUBLE DEFAULT 0.001 CHECK (alpha > 0 AND alpha < 1)
-- values:   alpha: a p-value below alpha is a mismatch
-- grain:    one row: statistic, df, p, n, mismatch
-- range:    [0, inf], and p in [0, 1]
-- formula:  sum of (observed - expected)^2 / expected, df = arms - 1; mismatch = p < alpha
-- tex:      \chi^2 = \sum_i \frac{(O_i - E_i)^2}{E_i}
-- symbols:  O_i: the number of units in arm i
--           E_i: the number of units that the plan gives to arm i
-- source:   Fabijan et al., KDD 2019, doi:10.1145/3292500.3330722
-- oracle:   scipy.stats.chisquare
-- example:  sample_ratio(VALUES (50412, 1), (49588, 1)) = 6.78976, 1, 0.009168223345744165, 100000, FALSE
-- related:  chi_square, binomial_test, welch_t, two_proportion_z
-- note:     expected may be counts or shares: only their proportions count. If there is a mismatch, do not trust any
--           comparison of the arms; first find out where units were lost. A single arm has no p
WITH totals AS (
    SELECT sum(CAST(observed AS DOUBLE)) AS observed, sum(CAST(expected AS DOUBLE)) AS expected
    FROM counts
),
arms AS (
    SELECT
        CAST(counts.observed AS DOUBLE) AS observed,
        counts.expected / nullif(totals.expected, 0) * totals.observed AS expected
    FROM counts
    CROSS JOIN totals
    WHERE counts.observed > 0 OR counts.expected > 0
),
summed AS (
    SELECT
        sum(CASE
            WHEN expected = 0 THEN CAST('inf' AS DOUBLE)
            ELSE (observed - expected) * (observed - expected) / nullif(expected, 0)
        END) AS statistic,
        count(*) - 1 AS df,
        sum(observed) AS n
    FROM arms
    HAVING count(*) > 0
),
tested AS (
    SELECT statistic, df, chi_square_sf(statistic, df) AS p, n
    FROM summed
)
SELECT statistic, df, p, n, p < $alpha AS mismatch
FROM tested;
