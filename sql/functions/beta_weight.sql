-- name:     beta_weight
-- title:    Weight of the incomplete beta function
-- params:   a DOUBLE CHECK (a > 0), b DOUBLE CHECK (b > 0), x DOUBLE CHECK (x > 0), y DOUBLE CHECK (y > 0)
-- range:    [0, inf]
-- formula:  x^a * y^b / B(a, b), y = 1 - x
-- source:   Loader, Fast and accurate computation of binomial probabilities, 2000
-- oracle:   mpmath
-- example:  beta_weight(2, 3, 0.25, 0.75) = 0.31640625
-- note:     relative error below 1e-12 down to 1e-300
SELECT
    sqrt(1e0 / (2e0 * pi() * (1e0 / $a + 1e0 / $b)))
    * exp(
        stirling_error($a + $b) - stirling_error($a) - stirling_error($b)
        - deviance($a, ($a + $b) * $x) - deviance($b, ($a + $b) * $y)
    ) AS value;
