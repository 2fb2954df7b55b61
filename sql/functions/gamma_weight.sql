-- name:     gamma_weight
-- title:    Weight of the incomplete gamma function
-- params:   a DOUBLE CHECK (a BETWEEN 1e-100 AND 1e10), x DOUBLE CHECK (x > 0 AND x <= 1e300)
-- range:    [0, inf]
-- formula:  x^a * exp(-x) / Gamma(a)
-- source:   Loader, Fast and accurate computation of binomial probabilities, 2000
-- oracle:   mpmath
-- example:  gamma_weight(2, 3) = 0.4480836153107755
-- note:     relative error below 1e-12 down to 1e-300
SELECT
    CASE
        WHEN $a BETWEEN 1e-100 AND 1e10 AND $x > 0e0 AND $x <= 1e300
            THEN sqrt($a / (2e0 * pi())) * exp(-deviance($a, $x) - stirling_error($a))
    END AS value;
