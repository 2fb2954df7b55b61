-- name:     mcnemar
-- title:    McNemar's test of hits and misses against a baseline
-- meaning:  McNemar's test compares a system with a baseline by their hits and misses on the same queries. It shows
--           whether the system has more or fewer hits by more than chance explains.
-- use:      when the metric is 0 or 1 for each query, such as hit_rate@10
-- beware:   queries that both systems hit or both miss do not count, so p can depend on only a few of the queries
-- reading:  p < 0.05: one of the two has more hits by more than chance explains
--           p = 1: both have the same number of hits, or differ by one
-- inputs:   per_query (system, metric, query_id, value)
-- requires: per_query (value IN (0, 1))
-- params:   baseline VARCHAR
-- grain:    one row per system and metric: system, metric, n, both_hit, b, c, both_miss, p, statistic,
--           p_chi_square
-- range:    [0, inf], and p and p_chi_square in [0, 1]
-- formula:  b units are hits of the baseline alone, c of the system alone; p = min(1, 2 * P(X <= min(b, c))), X
--           binomial of b + c trials with probability 1/2; statistic = max(abs(b - c) - 1, 0)^2 / (b + c), df = 1
-- tex:      p = \min\left(1, \, 2 \, P(X \le \min(b, c))\right) \qquad
--           \chi^2 = \frac{\max(|b - c| - 1, \, 0)^2}{b + c}
-- symbols:  b: the number of queries that only the baseline hits
--           c: the number of queries that only the system hits
--           X: the number of heads in b + c tosses of a fair coin
-- source:   McNemar, Psychometrika 1947, doi:10.1007/BF02295996; Edwards, Psychometrika 1948,
--           doi:10.1007/BF02289261
-- oracle:   statsmodels.stats.contingency_tables.mcnemar
-- example:  mcnemar(VALUES ('A', 'm', 1, 0), ('A', 'm', 2, 0), ('A', 'm', 3, 1), ('B', 'm', 1, 1), ('B', 'm', 2, 1),
--           ('B', 'm', 3, 1); baseline := 'A') = 'B', 'm', 3, 1, 0, 2, 0, 0.5, 0.5, 0.4795001221869535
-- related:  sign_test, hit_rate, fisher_exact, two_proportion_z
-- warning:  it compares only which values are above 0, not how large they are
-- note:     a value above 0 is a hit. Units without a value on one side are left out; with one unit, p is NULL. If b
--           + c is 0, statistic is NULL
WITH counted AS (
    SELECT
        system,
        metric,
        count(*) AS n,
        count(*) FILTER (WHERE baseline_value > 0 AND value > 0) AS both_hit,
        count(*) FILTER (WHERE baseline_value > 0 AND NOT value > 0) AS b,
        count(*) FILTER (WHERE value > 0 AND NOT baseline_value > 0) AS c
    FROM differences
    GROUP BY system, metric
),
tested AS (
    SELECT
        system, metric, n, both_hit, b, c,
        CASE WHEN n > 1 THEN power(greatest(abs(b - c) - 1, 0), 2e0) / nullif(b + c, 0) END AS statistic
    FROM counted
)
SELECT
    system,
    metric,
    n,
    both_hit,
    b,
    c,
    n - both_hit - b - c AS both_miss,
    CASE WHEN n > 1 THEN least(2e0 * binomial_cdf(least(b, c), b + c, 0.5e0), 1e0) END AS p,
    statistic,
    chi_square_sf(statistic, 1) AS p_chi_square
FROM tested;
