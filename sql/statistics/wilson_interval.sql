-- name:     wilson_interval
-- title:    Proportion with its Wilson interval
-- meaning:  The interval shows how precisely the data measure a share of hits, such as a conversion rate. It stays
--           between 0 and 1, also if there are no hits.
-- use:      to report a proportion together with its uncertainty
-- beware:   intervals of two arms that overlap do not mean that the arms are equal; compare them with
--           two_proportion_z
-- reading:  level = 0.95: about 95 of 100 such intervals from new samples contain the true proportion
--           lower = 0: none of the n trials is a hit
--           upper = 1: all n trials are hits
-- inputs:   proportions (arm, hits, n)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- values:   level: as in mean_interval
-- grain:    one row per arm: arm, hits, n, proportion, lower, upper
-- range:    [0, 1]
-- formula:  (p + z^2 / (2n) -+ z * sqrt(p * (1 - p) / n + z^2 / (4n^2))) / (1 + z^2 / n), p = hits / n, z the
--           two-sided critical value of the normal distribution
-- tex:      \frac{p + \frac{z^2}{2n} \mp z \sqrt{\frac{p (1 - p)}{n} + \frac{z^2}{4 n^2}}}{1 + \frac{z^2}{n}}
-- symbols:  p: the proportion, hits / n
--           n: the number of trials
--           z: the two-sided critical value of the normal distribution, 1.96 for level = 0.95
-- source:   Wilson, Journal of the American Statistical Association 1927, doi:10.1080/01621459.1927.10502953
-- oracle:   statsmodels.stats.proportion.proportion_confint(method='wilson')
-- example:  wilson_interval(VALUES ('A', 0, 10)) = 'A', 0, 10, 0, 0, 0.2775327998628892
-- related:  two_proportion_z, mean_interval, binomial_test
-- note:     rows of the same arm add up; a row with a NULL is left out. The hits must be independent of each other;
--           clicks of the same user are not
WITH arms AS (
    SELECT arm, CAST(sum(hits) AS DOUBLE) AS hits, CAST(sum(n) AS DOUBLE) AS n
    FROM proportions
    WHERE hits IS NOT NULL AND n IS NOT NULL
    GROUP BY arm
),
centers AS (
    SELECT
        arm,
        hits,
        n,
        normal_quantile(0.5e0 + 0.5e0 * $level) AS z,
        (hits + 0.5e0 * power(normal_quantile(0.5e0 + 0.5e0 * $level), 2e0))
            / nullif(n + power(normal_quantile(0.5e0 + 0.5e0 * $level), 2e0), 0) AS center
    FROM arms
),
widths AS (
    SELECT
        arm, hits, n, center,
        CASE WHEN n > 0 AND hits >= 0 AND hits <= n
            THEN z * sqrt(hits * (n - hits) / nullif(n, 0) + 0.25e0 * z * z) / nullif(n + z * z, 0) END AS half
    FROM centers
)
SELECT
    arm,
    hits,
    n,
    hits / nullif(n, 0) AS proportion,
    CASE WHEN hits = 0 THEN half - half ELSE center - half END AS lower,
    CASE WHEN hits = n THEN 1e0 + (half - half) ELSE center + half END AS upper
FROM widths
ORDER BY arm;
