-- name:     binomial_cdf
-- macro:    binomial_cdf
-- title:    Binomial distribution function
-- params:   k DOUBLE, n DOUBLE CHECK (n BETWEEN 0 AND 2e12 AND n = floor(n)), p DOUBLE CHECK (p BETWEEN 0 AND 1)
-- range:    [0, 1]
-- formula:  P(X <= k) of n trials with probability p = I_(1-p)(n - k, k + 1)
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.5.24
-- oracle:   scipy.stats.binom.cdf
-- example:  binomial_cdf(2, 9, 0.5) = 0.08984375
-- note:     relative error below 1e-12 down to 1e-300 for n up to 100000; k is rounded down
SELECT
    CASE
        WHEN ($n BETWEEN 0e0 AND 2e12 AND $n = floor($n) AND $p BETWEEN 0e0 AND 1e0 AND NOT isnan($k)) IS NOT TRUE
            THEN NULL
        WHEN $k < 0e0 THEN 0e0
        WHEN $k >= $n THEN 1e0
        ELSE incomplete_beta_xy($n - floor($k), floor($k) + 1e0, 1e0 - $p, $p)
    END AS value;
