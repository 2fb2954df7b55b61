-- name:     incomplete_gamma_q
-- macro:    incomplete_gamma_q
-- title:    Upper incomplete gamma function, regularized
-- params:   a DOUBLE CHECK (a BETWEEN 1e-100 AND 1e10), x DOUBLE CHECK (x >= 0)
-- range:    [0, 1]
-- formula:  Q(a, x) = integral of t^(a-1) exp(-t) from x to infinity / Gamma(a)
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 6.5.29 and 6.5.31
-- oracle:   scipy.special.gammaincc
-- example:  incomplete_gamma_q(2, 3) = 0.19914827347145578
-- note:     relative error below 1e-12 down to 1e-300 for a from 0.5 to 50000; for a below 0.5 absolute
SELECT
    CASE
        WHEN ($a BETWEEN 1e-100 AND 1e10 AND $x >= 0e0 AND NOT isnan($x)) IS NOT TRUE THEN NULL
        WHEN $x = 0e0 THEN 1e0
        WHEN $x > 1e300 THEN 0e0
        ELSE CASE WHEN $x < $a + 1e0 THEN 1e0 ELSE 0e0 END + gamma_weight($a, $x) * CASE
            -- 1 - P(a, x) by the series 1 + x/(a+1) * (1 + x/(a+2) * (...)), from the inside out.
            WHEN $x < $a + 1e0 THEN -1e0 / $a * list_reduce(
                list_prepend(1e0, CAST(range(CAST(40e0 + 10e0 * sqrt($a) AS BIGINT), 0, -1) AS DOUBLE[])),
                lambda inner_sum, i: 1e0 + $x / ($a + i) * inner_sum)
            -- Legendre's continued fraction, from the inside out.
            ELSE 1e0 / list_reduce(
                list_prepend($x, CAST(range(CAST(120e0 + 3e0 * sqrt($a) AS BIGINT), 0, -1) AS DOUBLE[])),
                lambda below, i: ($x + 2e0 * i - 1e0 - $a) - i * (i - $a) / below)
        END
    END AS value;
