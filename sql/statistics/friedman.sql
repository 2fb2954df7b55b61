-- name:     friedman
-- title:    Friedman test: systems ranked within each query
-- meaning:  The Friedman test ranks the systems within each query. It shows whether some systems rank higher than
--           others by more than chance explains.
-- use:      when you compare three or more systems, and only their order within a query is reliable
-- beware:   the test ignores the size of the differences, and it does not show which systems differ
-- reading:  statistic = 0: all systems have the same mean rank
--           p < 0.05: at least one system ranks higher than another by more than chance explains
-- inputs:   per_query (system, metric, query_id, value)
-- grain:    one row per metric: metric, n_systems, n, statistic, df, p
-- range:    [0, inf], and p in [0, 1]
-- formula:  statistic = (k - 1) * sum over systems of (rank sum - n (k + 1) / 2)^2 / sum of (rank - (k + 1) / 2)^2,
--           midranks within n queries, k systems; df = k - 1
-- tex:      \chi^2 = \frac{(k - 1) \sum_s \left(R_s - n (k + 1) / 2\right)^2}
--           {\sum_{s, q} \left(r_{sq} - (k + 1) / 2\right)^2}
-- symbols:  k: the number of systems
--           n: the number of queries
--           r_{sq}: the rank of system s among the systems in query q, equal values share the mean rank
--           R_s: the sum of the ranks of system s
-- source:   Friedman, Journal of the American Statistical Association 1937, doi:10.1080/01621459.1937.10503522;
--           ties: Conover, Practical Nonparametric Statistics, 1999
-- oracle:   scipy.stats.friedmanchisquare
-- example:  friedman(VALUES ('A', 'm', 1, 0), ('A', 'm', 2, 0), ('B', 'm', 1, 1), ('B', 'm', 2, 1), ('C', 'm', 1, 2),
--           ('C', 'm', 2, 2)) = 'm', 3, 2, 4, 2, 0.16666666666666669
-- related:  anova, tukey_hsd, wilcoxon
-- note:     p is that of the chi-square distribution, and at least k! / k!^n for k systems and n queries, the smallest
--           exact p. Only complete blocks count: the queries for which every system of the metric has a value. If all
--           systems are equal in every query, p is 1; with one query, p is NULL
WITH ranked AS (
    SELECT
        metric,
        query_id,
        place,
        systems,
        rank() OVER (PARTITION BY metric, query_id ORDER BY value)
        + 0.5e0 * (count(*) OVER (PARTITION BY metric, query_id, value) - 1) - 0.5e0 * (systems + 1) AS deviation
    FROM blocks
),
totals AS (
    SELECT
        metric, place, systems,
        count(*) AS n,
        sum(deviation) AS deviation,
        sum(deviation * deviation) AS square
    FROM ranked
    GROUP BY metric, place, systems
),
tested AS (
    SELECT
        metric,
        systems AS n_systems,
        max(n) AS n,
        sum(square) AS spread,
        systems - 1 AS df,
        CASE WHEN max(n) > 1 THEN (systems - 1) * sum(deviation * deviation) / nullif(sum(square), 0) END AS statistic
    FROM totals
    GROUP BY metric, systems
)
SELECT
    metric, n_systems, n, statistic, df,
    CASE
        WHEN n > 1 AND df > 0 AND spread = 0 THEN 1e0
        WHEN statistic IS NOT NULL THEN greatest(chi_square_sf(statistic, df), exp((1 - n) * lgamma(n_systems + 1)))
    END AS p
FROM tested;
