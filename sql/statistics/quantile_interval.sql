-- name:     quantile_interval
-- title:    Quantile, such as the median, with its interval from order statistics
-- meaning:  The interval shows how precisely the queries of the test set measure a median or another percentile of a
--           metric. Its bounds are two of the values, so it is valid for every distribution.
-- use:      to report a median, or a bad tail such as the 10th percentile, together with its uncertainty
-- beware:   the ranks come from a binomial distribution, which has steps: the coverage is at least the level, and often
--           higher
-- reading:  level = 0.95: at least 95 of 100 such intervals from new samples contain the quantile of all queries
--           coverage = 0.96: the probability that these two ranks enclose the quantile; at least the level
--           lower is NULL: there are too few queries for this bound; take more queries
-- inputs:   per_query (system, metric, query_id, value)
-- params:   q DOUBLE DEFAULT 0.5 CHECK (q > 0 AND q < 1),
--           level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- values:   q: as in relations/inference/quantile_units
--           level: as in mean_interval
-- grain:    one row per system and metric: system, metric, n, estimate, lower, upper, lower_rank, upper_rank, coverage
-- range:    (-inf, inf), and coverage in [0, 1]
-- formula:  lower = x_(r), the largest rank r with P(X <= r - 1) <= (1 - level) / 2, X binomial of n trials with
--           probability q; upper = x_(s), the smallest s with P(X >= s) <= (1 - level) / 2; estimate: the value at
--           position q * (n - 1) of the sorted values, counted from 0
-- tex:      P(x_{(r)} \le x_q \le x_{(s)}) \ge \sum_{k = r}^{s - 1} \binom{n}{k} q^k (1 - q)^{n - k}
-- symbols:  x_{(r)}: the value of rank r, the smallest value has rank 1
--           x_q: the quantile of all possible queries
--           n: the number of values
-- source:   Thompson, Annals of Mathematical Statistics 1936, doi:10.1214/aoms/1177732502; Hahn and Meeker, Statistical
--           Intervals, 1991, doi:10.1002/9780470316771
-- oracle:   scipy.stats.quantile_test
-- example:  quantile_interval(VALUES ('A', 'm', 1, 0.1), ('A', 'm', 2, 0.2), ('A', 'm', 3, 0.4), ('A', 'm', 4, 0.5),
--           ('A', 'm', 5, 0.7), ('A', 'm', 6, 0.9)) = 'A', 'm', 6, 0.45, 0.1, 0.9, 1, 6, 0.96875
-- related:  mean_interval, bootstrap_interval, wilson_interval
-- small:    order statistics have this coverage for any number of units and any distribution
-- note:     NULL values are left out. A bound is NULL if there are too few values. coverage then treats that side as
--           unbounded. At a level of 0.95, the median needs 6 values, and the 90th percentile needs 36
SELECT
    system,
    metric,
    n,
    estimate,
    lower,
    upper,
    lower_rank,
    upper_rank,
    1e0 - coalesce(binomial_cdf(lower_rank - 1, n, q), 0e0) - coalesce(binomial_cdf(n - upper_rank, n, 1 - q), 0e0)
        AS coverage
FROM quantile_bounds;
