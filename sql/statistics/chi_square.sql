-- name:     chi_square
-- alias:    g_test (statistic = g)
-- title:    Chi-square test of goodness of fit
-- meaning:  The chi-square test compares observed counts with expected counts or shares. It shows whether chance
--           explains the differences of all categories together.
-- use:      to check whether counts follow the shares that you expect, such as impressions by country
-- beware:   with millions of rows even a tiny difference is significant; with expected counts below 5, p is only a
--           rough approximation
-- reading:  statistic = 0: every count equals its expected count
--           p < 0.05: the counts differ from the expected shares by more than chance explains
-- inputs:   counts (observed, expected)
-- optional: expected = 1
-- params:   statistic VARCHAR DEFAULT 'pearson' CHECK (statistic IN ('pearson', 'g'))
-- values:   statistic=pearson: the sum of (observed - expected)^2 / expected
--           statistic=g: the likelihood ratio, 2 * sum of observed * ln(observed / expected)
-- grain:    one row: statistic, df, p, n, min_expected
-- range:    [0, inf], and p in [0, 1]
-- formula:  sum of (observed - expected)^2 / expected; g: 2 * sum of observed * ln(observed / expected);
--           df = categories - 1
-- tex:      \chi^2 = \sum_i \frac{(O_i - E_i)^2}{E_i} \qquad G = 2 \sum_i O_i \ln \frac{O_i}{E_i}
-- symbols:  O_i: the observed count of category i
--           E_i: the expected count of category i
--           \chi^2: the default statistic, Pearson's
--           G: the likelihood ratio, with statistic=g
-- source:   Pearson, Philosophical Magazine 1900, doi:10.1080/14786440009463897; g: Wilks, Annals of
--           Mathematical Statistics 1938, doi:10.1214/aoms/1177732360
-- oracle:   scipy.stats.power_divergence
-- example:  chi_square(VALUES (3, 1), (7, 1)) = 1.6, 1, 0.2059032107320683, 10, 5
-- related:  sample_ratio, binomial_test, chi_square_independence
-- note:     expected may be counts or shares: only their proportions count, scaled to the observed total. A category
--           that is neither expected nor observed is left out, and df does not count it
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
            -- The deviances have the same sum, because both columns do, and they do not cancel.
            WHEN 'g' THEN 2e0 * sum(deviance(observed, expected))
        END AS statistic,
        count(*) - 1 AS df,
        sum(observed) AS n,
        min(expected) AS min_expected
    FROM categories
)
SELECT statistic, df, chi_square_sf(statistic, df) AS p, n, min_expected
FROM summed;
