-- name:     binomial_test
-- title:    Exact binomial test of two categories
-- meaning:  The exact binomial test compares the counts of two categories with the shares that you expect. It shows
--           whether chance explains the difference, also if the counts are small.
-- use:      when there are two categories and the counts are small
-- beware:   the cases must be independent; several clicks of the same user are correlated and make p too small
-- reading:  p < 0.05: the counts differ from the expected shares by more than chance explains
--           p = 1: no other pair of counts is more likely under the expected shares
-- inputs:   counts (observed, expected)
-- optional: expected = 1
-- grain:    one row: observed, expected, n, p
-- range:    [0, inf], and p in [0, 1]
-- formula:  p = sum of P(X = x) over all x with P(X = x) <= P(X = observed), X binomial of n trials with
--           probability expected / n
-- tex:      p = \sum_{x \,\mid\, P(x) \le P(k)} P(x) \qquad
--           P(x) = \frac{n!}{x! \, (n - x)!} \, \pi^x (1 - \pi)^{n - x}
-- symbols:  k: the observed count of one category
--           n: the sum of both counts
--           \pi: the expected share of this category
--           P(x): the probability of the count x by chance
-- source:   Clopper and Pearson, Biometrika 1934, doi:10.1093/biomet/26.4.404
-- oracle:   scipy.stats.binomtest
-- example:  binomial_test(VALUES (3, 1), (7, 1)) = 3, 5, 10, 0.34375
-- related:  chi_square, sample_ratio, sign_test, wilson_interval
-- note:     expected may be counts or shares: only their proportions count. The row shows the category that has less
--           than expected. Probabilities that differ by 1e-7 of their size count as equal. If n is above 1e7, p is
--           NULL: use chi_square. p is also NULL unless there are two categories of whole counts
WITH categories AS (
    SELECT
        CAST(observed AS DOUBLE) AS observed,
        CAST(sum(observed) OVER () AS DOUBLE) AS n,
        CAST(expected AS DOUBLE) / nullif(CAST(sum(expected) OVER () AS DOUBLE), 0) AS share,
        count(*) OVER () AS categories
    FROM counts
),
lesser AS (
    SELECT
        observed AS k, n, share,
        CASE WHEN categories = 2 AND n BETWEEN 1e0 AND 1e7 AND observed = floor(observed) AND n = floor(n)
            AND observed BETWEEN 0e0 AND n THEN share END AS proper
    FROM categories
    QUALIFY row_number() OVER (ORDER BY observed - n * share, observed, share) = 1
),
searched AS (
    -- From ceil(n * share) on, outcomes get less likely: a binary search counts those likelier than k.
    SELECT
        k, n, share, proper,
        CASE WHEN proper > 0 AND proper < 1 AND k < n * proper THEN ceil(n * proper) + list_reduce(
            list_prepend(0e0, list_transform(range(24, -1, -1), lambda i: power(2e0, i))),
            lambda likelier, step: likelier + CASE
                WHEN ceil(n * proper) + likelier + step - 1 > n THEN 0e0
                WHEN lgamma(k + 1) + lgamma(n - k + 1)
                    - lgamma(ceil(n * proper) + likelier + step) - lgamma(n - ceil(n * proper) - likelier - step + 2)
                    + (ceil(n * proper) + likelier + step - 1 - k) * (ln(proper) - log1p(-proper)) > 1e-7 THEN step
                ELSE 0e0
            END) END AS start
    FROM lesser
)
SELECT
    k AS observed,
    n * share AS expected,
    n,
    CASE
        WHEN proper IS NULL THEN NULL
        WHEN proper <= 0 OR proper >= 1 THEN CASE WHEN k = n * proper THEN 1e0 ELSE 0e0 END
        WHEN k >= n * proper THEN 1e0
        WHEN start > n THEN binomial_cdf(k, n, proper)
        ELSE least(binomial_cdf(k, n, proper) + binomial_cdf(n - start, n, 1 - proper), 1e0)
    END AS p
FROM searched;
