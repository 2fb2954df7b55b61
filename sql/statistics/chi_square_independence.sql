-- name:     chi_square_independence
-- alias:    g_test_independence (statistic = g)
-- title:    Chi-square test of independence
-- meaning:  The test shows whether the rows and the columns of a table of counts are related, such as device type and
--           click. Cramér's V measures how strong the relation is.
-- use:      to check whether an outcome depends on a group
-- beware:   a small p does not mean a strong relation, so read cramers_v as well; with expected counts below 5, p is
--           only approximate
-- reading:  p < 0.05: rows and columns are related by more than chance explains
--           cramers_v = 0: every row has the same shares
--           cramers_v = 1: one of the two values determines the other
-- inputs:   cells (row_value, column_value, n)
-- optional: n = 1
-- params:   statistic VARCHAR DEFAULT 'pearson' CHECK (statistic IN ('pearson', 'g')),
--           correction BOOLEAN DEFAULT FALSE
-- values:   statistic: as in chi_square
--           correction: whether a 2 by 2 table gets the continuity correction of Yates
-- grain:    one row: statistic, df, p, n, min_expected, cramers_v
-- range:    [0, inf], and p and cramers_v in [0, 1]
-- formula:  as chi_square, expected = row total * column total / n; df = (rows - 1) * (columns - 1);
--           cramers_v = sqrt(pearson / (n * (min(rows, columns) - 1)))
-- tex:      \chi^2 = \sum_{i, j} \frac{(O_{ij} - E_{ij})^2}{E_{ij}} \qquad E_{ij} = \frac{R_i \, C_j}{n} \qquad
--           V = \sqrt{\frac{\chi^2}{n \, (\min(r, c) - 1)}}
-- symbols:  O_{ij}: the observed count in row i and column j
--           E_{ij}: the expected count if rows and columns are not related
--           R_i: the total of row i
--           C_j: the total of column j
--           n: the total of all counts
--           r: the number of rows
--           c: the number of columns
--           V: the value of Cramér's V, in the column cramers_v
-- source:   Pearson, Philosophical Magazine 1900, doi:10.1080/14786440009463897; Yates, Supplement to the
--           Journal of the Royal Statistical Society 1934, doi:10.2307/2983604; Cramér, Mathematical
--           Methods of Statistics, 1946, 21.9
-- oracle:   scipy.stats.chi2_contingency, correction=False unless asked
-- example:  chi_square_independence(VALUES ('a', 'x', 10), ('a', 'y', 20), ('b', 'x', 30), ('b', 'y', 20))
--           = 5.333333333333333, 1, 0.020921335337794, 80, 15, 0.2581988897471611
-- related:  fisher_exact, chi_square, two_proportion_z
-- note:     a missing cell counts as 0, and repeated cells add up; a row or column of zeros is left out, and df does
--           not count it. correction=true applies the correction of Yates: every cell of a 2 by 2 table moves by up
--           to 1/2 towards its expectation; scipy and R do so by default. cramers_v is never corrected
WITH counted AS (
    SELECT row_value, column_value, sum(n) AS n FROM cells GROUP BY row_value, column_value
),
row_totals AS (
    SELECT row_value, sum(n) AS n FROM counted GROUP BY row_value HAVING sum(n) > 0
),
column_totals AS (
    SELECT column_value, sum(n) AS n FROM counted GROUP BY column_value HAVING sum(n) > 0
),
totals AS (
    SELECT sum(n) AS n, count(*) - 1 AS further_rows, (SELECT count(*) - 1 FROM column_totals) AS further_columns
    FROM row_totals
),
expectations AS (
    SELECT coalesce(counted.n, 0e0) AS observed, row_totals.n * column_totals.n / nullif(totals.n, 0e0) AS expected
    FROM row_totals
    CROSS JOIN column_totals
    CROSS JOIN totals
    LEFT JOIN counted
        ON counted.row_value IS NOT DISTINCT FROM row_totals.row_value
        AND counted.column_value IS NOT DISTINCT FROM column_totals.column_value
),
corrected AS (
    SELECT
        observed,
        expected,
        CASE
            WHEN $correction AND further_rows = 1 AND further_columns = 1
                THEN expected + sign(observed - expected) * greatest(abs(observed - expected) - 0.5e0, 0e0)
            ELSE observed
        END AS moved,
        further_rows * further_columns AS df,
        least(further_rows, further_columns) AS dimensions
    FROM expectations
    CROSS JOIN totals
),
summed AS (
    SELECT
        CASE $statistic
            WHEN 'pearson' THEN sum((moved - expected) * (moved - expected) / nullif(expected, 0e0))
            -- The deviances have the same sum, because all margins are equal, and they do not cancel.
            WHEN 'g' THEN 2e0 * sum(deviance(moved, expected))
        END AS statistic,
        max(df) AS df,
        sum(observed) AS n,
        min(expected) AS min_expected,
        sum((observed - expected) * (observed - expected) / nullif(expected, 0e0)) AS pearson,
        max(dimensions) AS dimensions
    FROM corrected
)
SELECT
    statistic,
    df,
    chi_square_sf(statistic, df) AS p,
    n,
    min_expected,
    sqrt(pearson / nullif(n * dimensions, 0e0)) AS cramers_v
FROM summed;
