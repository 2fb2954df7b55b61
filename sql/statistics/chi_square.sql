-- name:     chi_square
-- alias:    g_test (statistic = g)
-- title:    Chi-square test of goodness of fit
-- inputs:   counts (observed, expected)
-- optional: expected = 1
-- params:   statistic VARCHAR DEFAULT 'pearson' CHECK (statistic IN ('pearson', 'g'))
-- values:   statistic=pearson: the sum of (observed - expected)^2 / expected
--           statistic=g: the likelihood ratio, 2 * sum of observed * ln(observed / expected)
-- grain:    one row: statistic, df, p, n, min_expected
-- range:    [0, inf], and p in [0, 1]
-- formula:  sum of (observed - expected)^2 / expected; g: 2 * sum of observed * ln(observed / expected);
--           df = categories - 1
-- source:   Pearson, Philosophical Magazine 1900, doi:10.1080/14786440009463897; g: Wilks, Annals of
--           Mathematical Statistics 1938, doi:10.1214/aoms/1177732360
-- oracle:   scipy.stats.power_divergence
-- example:  chi_square(VALUES (3, 1), (7, 1)) = 1.6, 1, 0.2059032107320683, 10, 5
-- note:     expected may be counts or shares: only their proportions count, scaled to the observed total.
--           A category that is neither expected nor observed is left out, also of df
WITH totals AS (
    SELECT sum(observed) AS observed, sum(expected) AS expected
    FROM counts
),
categories AS (
    SELECT counts.observed, counts.expected / nullif(totals.expected, 0e0) * totals.observed AS expected
    FROM counts
    CROSS JOIN totals
    WHERE counts.observed > 0 OR counts.expected > 0
),
summed AS (
    SELECT
        CASE $statistic
            WHEN 'pearson' THEN sum(CASE
                WHEN expected = 0 THEN CAST('inf' AS DOUBLE)
                ELSE (observed - expected) * (observed - expected) / nullif(expected, 0e0)
            END)
            -- The deviances add up to the same, because both columns have the same sum, and do not cancel.
            WHEN 'g' THEN 2e0 * sum(deviance(observed, expected))
        END AS statistic,
        count(*) - 1 AS df,
        sum(observed) AS n,
        min(expected) AS min_expected
    FROM categories
)
SELECT statistic, df, chi_square_sf(statistic, df) AS p, n, min_expected
FROM summed;
