-- name:     sign_test
-- title:    Sign test against a baseline
-- meaning:  The sign test counts the queries with a higher and with a lower value than the baseline. It shows whether
--           the two counts differ by more than chance explains.
-- use:      when only the direction of a difference is reliable, not its size
-- beware:   many tiny wins outweigh a few large losses
-- reading:  p < 0.05: wins and losses differ in number by more than chance explains
--           p = 1: the numbers of wins and losses are equal, or differ by one
-- inputs:   per_query (system, metric, query_id, value)
-- params:   baseline VARCHAR
-- grain:    one row per system and metric: system, metric, n, wins, ties, losses, p
-- range:    [0, 1]
-- formula:  p = min(1, 2 * P(X <= min(wins, losses))), X binomial of wins + losses trials with probability 1/2
-- tex:      p = \min\left(1, \, 2 \, P(X \le \min(W, L))\right)
-- symbols:  W: the number of wins, queries with a higher value than the baseline
--           L: the number of losses, queries with a lower value than the baseline
--           X: the number of heads in W + L tosses of a fair coin
-- source:   Arbuthnot, Philosophical Transactions 1710, doi:10.1098/rstl.1710.0011
-- oracle:   scipy.stats.binomtest
-- example:  sign_test(VALUES ('A', 'm', 1, 0.1), ('A', 'm', 2, 0.2), ('A', 'm', 3, 0.3), ('A', 'm', 4, 0.4),
--           ('B', 'm', 1, 0.5), ('B', 'm', 2, 0.6), ('B', 'm', 3, 0.7), ('B', 'm', 4, 0.4); baseline := 'A')
--           = 'B', 'm', 4, 3, 1, 0, 0.25
-- related:  mcnemar, wilcoxon, paired_t, binomial_test
-- warning:  it does not compare means: with many units, systems with equal means can differ significantly, because
--           the shapes of their distributions differ
-- note:     units without a value on one side are left out. Differences of up to 1e-12 of the mean size of the values
--           are ties and do not count; with one unit, p is NULL
WITH counted AS (
    SELECT
        system,
        metric,
        count(*) AS n,
        count(*) FILTER (WHERE difference > rounding) AS wins,
        count(*) FILTER (WHERE abs(difference) <= rounding) AS ties,
        count(*) FILTER (WHERE difference < -rounding) AS losses
    FROM differences
    GROUP BY system, metric
)
SELECT
    system,
    metric,
    n,
    wins,
    ties,
    losses,
    CASE WHEN n > 1 THEN least(2e0 * binomial_cdf(least(wins, losses), wins + losses, 0.5e0), 1e0) END AS p
FROM counted;
