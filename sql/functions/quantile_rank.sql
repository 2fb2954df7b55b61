-- name:     quantile_rank
-- title:    Rank of the order statistic that bounds a quantile from below
-- params:   n DOUBLE CHECK (n BETWEEN 1 AND 2e12 AND n = floor(n)),
--           n_effective DOUBLE CHECK (n_effective BETWEEN 1e-9 AND n),
--           q DOUBLE CHECK (q > 0 AND q < 1), tail DOUBLE CHECK (tail > 0 AND tail < 1)
-- range:    [0, 2e12]
-- formula:  the largest rank r with P(X <= r - 1) <= tail, X binomial of n trials with probability q; of n_effective
--           trials, P(X <= (r - 1) * n_effective / n), continued between whole numbers by the incomplete beta function
-- source:   Thompson, Annals of Mathematical Statistics 1936, doi:10.1214/aoms/1177732502; Woodruff, Journal of the
--           American Statistical Association 1952, doi:10.1080/01621459.1952.10483443
-- oracle:   scipy.stats.quantile_test
-- example:  quantile_rank(20, 20, 0.5, 0.025) = 6
-- note:     error below 1e-12, because it is a whole number; if only rounding distinguishes P from the tail, it can be
--           off by 1. 0 if no value bounds the quantile; the rank of the upper bound is n + 1 minus the same of 1 - q
SELECT
    CASE
        WHEN ($n BETWEEN 1e0 AND 2e12 AND $n = floor($n) AND $n_effective BETWEEN 1e-9 AND $n
            AND $q > 0e0 AND $q < 1e0 AND $tail > 0e0 AND $tail < 1e0) IS NOT TRUE THEN NULL
        ELSE list_reduce(
            -- Binary search: the steps are powers of 2, the largest first.
            list_prepend(0e0, list_transform(range(CAST(ceil(log(2e0, $n)) AS BIGINT), -1, -1),
                lambda i: power(2e0, CAST(i AS DOUBLE)))),
            lambda rank, step: CASE
                WHEN rank + step <= $n AND incomplete_beta_xy(
                    $n_effective - (rank + step - 1e0) * $n_effective / $n,
                    (rank + step - 1e0) * $n_effective / $n + 1e0, 1e0 - $q, $q) <= $tail
                    THEN rank + step
                ELSE rank
            END)
    END AS value;
