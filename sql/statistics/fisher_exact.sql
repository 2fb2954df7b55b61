-- name:     fisher_exact
-- title:    Fisher's exact test of a table of 2 by 2
-- meaning:  Fisher's exact test shows whether two properties with two values each are related, such as arm and click.
--           Its p-value is exact, also if the counts are small.
-- use:      when a 2 by 2 table has small counts, such as an expected count below 5
-- beware:   an odds ratio of 2 does not mean a rate that is twice as high, unless both rates are small
-- reading:  odds_ratio = 1: both rows have the same shares
--           p < 0.05: the two properties are related by more than chance explains
-- inputs:   cells (row_value, column_value, n)
-- optional: n = 1
-- grain:    one row: n, odds_ratio, p
-- range:    [0, inf], and p in [0, 1]
-- formula:  p = sum of P(X = x) over all x with P(X = x) <= P(X = a), X hypergeometric with the margins of the
--           table; odds_ratio = a * d / (b * c)
-- tex:      p = \sum_{x \,\mid\, P(x) \le P(a)} P(x) \qquad \mathit{OR} = \frac{a \, d}{b \, c}
-- symbols:  a, b: the counts of the first row of the table
--           c, d: the counts of the second row
--           P(x): the probability of x in place of a by chance, if row and column totals stay the same
--           \mathit{OR}: the odds ratio
-- source:   Fisher, Journal of the Royal Statistical Society 1922, doi:10.2307/2340521
-- oracle:   scipy.stats.fisher_exact
-- example:  fisher_exact(VALUES ('a', 'x', 3), ('a', 'y', 1), ('b', 'x', 1), ('b', 'y', 3))
--           = 8, 9, 0.4857142857142857
-- related:  chi_square_independence, two_proportion_z, mcnemar
-- note:     a missing cell counts as 0, and repeated cells add up; the result is NULL unless the table is 2 by 2.
--           Rows and columns are sorted by their values. Probabilities that differ by 1e-7 of their size count as
--           equal. The run time grows with the smallest margin: a margin of a million takes a second
WITH corners AS (
    SELECT min(row_value) AS first_row, min(column_value) AS first_column,
        count(DISTINCT row_value) = 2 AND count(DISTINCT column_value) = 2 AND sum(n) > 0 AS square
    FROM cells
    HAVING count(*) > 0
),
counted AS (
    SELECT
        coalesce(sum(CASE WHEN row_value = first_row AND column_value = first_column THEN n END), 0e0) AS a,
        coalesce(sum(CASE WHEN row_value = first_row AND column_value > first_column THEN n END), 0e0) AS b,
        coalesce(sum(CASE WHEN row_value > first_row AND column_value = first_column THEN n END), 0e0) AS c,
        coalesce(sum(CASE WHEN row_value > first_row AND column_value > first_column THEN n END), 0e0) AS d,
        sum(CAST(n AS DOUBLE)) AS n,
        square
    FROM cells
    CROSS JOIN corners
    GROUP BY square
),
outcomes AS (
    -- All tables with the same margins: x takes the place of a.
    SELECT a, b, c, d, unnest(range(CAST(greatest(a - d, 0) AS BIGINT), CAST(least(a + b, a + c) AS BIGINT) + 1)) AS x
    FROM counted
    WHERE square
),
weights AS (
    -- The logarithm of P(X = x) / P(X = a).
    SELECT
        lgamma(a + 1) + lgamma(b + 1) + lgamma(c + 1) + lgamma(d + 1)
        - lgamma(x + 1) - lgamma(a + b - x + 1) - lgamma(a + c - x + 1) - lgamma(d - a + x + 1) AS weight
    FROM outcomes
),
scaled AS (
    SELECT weight, exp(weight - max(weight) OVER ()) AS likelihood
    FROM weights
),
summed AS (
    SELECT sum(CASE WHEN weight <= 1e-7 THEN likelihood ELSE 0 END) / nullif(sum(likelihood), 0) AS p
    FROM scaled
)
SELECT
    counted.n,
    CASE
        WHEN NOT square THEN NULL
        WHEN counted.b * counted.c > 0 THEN counted.a * counted.d / nullif(counted.b * counted.c, 0)
        WHEN counted.a * counted.d > 0 THEN CAST('inf' AS DOUBLE)
    END AS odds_ratio,
    summed.p
FROM counted
CROSS JOIN summed;
