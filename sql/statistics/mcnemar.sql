-- name:     mcnemar
-- title:    McNemar's test of hits and misses against a baseline
-- inputs:   per_query (system, metric, query_id, value)
-- requires: per_query (value IN (0, 1))
-- params:   baseline VARCHAR
-- grain:    one row per system and metric: system, metric, n, both_hit, b, c, both_miss, p, statistic,
--           p_chi_square
-- range:    [0, inf], and p and p_chi_square in [0, 1]
-- formula:  b units are hits of the baseline alone, c of the system alone; p = min(1, 2 * P(X <= min(b, c))), X
--           binomial of b + c trials with probability 1/2; statistic = max(abs(b - c) - 1, 0)^2 / (b + c), df = 1
-- source:   McNemar, Psychometrika 1947, doi:10.1007/BF02295996; Edwards, Psychometrika 1948,
--           doi:10.1007/BF02289261
-- oracle:   statsmodels.stats.contingency_tables.mcnemar
-- example:  mcnemar(VALUES ('A', 'm', 1, 0), ('A', 'm', 2, 0), ('A', 'm', 3, 1), ('B', 'm', 1, 1), ('B', 'm', 2, 1),
--           ('B', 'm', 3, 1); baseline := 'A') = 'B', 'm', 3, 1, 0, 2, 0, 0.5, 0.5, 0.4795001221869535
-- warning:  it compares which units are above 0, and nothing else about their values
-- note:     a value above 0 is a hit. Units without a value on one side are left out; of one unit p is NULL.
--           statistic is NULL where no unit tells the two apart
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
