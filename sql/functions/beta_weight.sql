-- name:     beta_weight
-- title:    Weight of the incomplete beta function
-- params:   a DOUBLE CHECK (a BETWEEN 1e-100 AND 1e100), b DOUBLE CHECK (b BETWEEN 1e-100 AND 1e100),
--           x DOUBLE CHECK (x > 0 AND x <= 1), y DOUBLE CHECK (y > 0 AND y <= 1)
-- range:    [0, inf]
-- formula:  x^a * y^b / B(a, b), y = 1 - x
-- source:   Loader, Fast and accurate computation of binomial probabilities, 2000
-- oracle:   mpmath
-- example:  beta_weight(2, 3, 0.25, 0.75) = 0.31640625
-- note:     relative error below 1e-12 down to 1e-300
SELECT
    CASE
        WHEN $a BETWEEN 1e-100 AND 1e100 AND $b BETWEEN 1e-100 AND 1e100
            AND $x > 0e0 AND $x <= 1e0 AND $y > 0e0 AND $y <= 1e0
            THEN sqrt(1e0 / (2e0 * pi() * (1e0 / $a + 1e0 / $b))) * exp(
                stirling_error($a + $b) - stirling_error($a) - stirling_error($b)
                - deviance($a, ($a + $b) * $x) - deviance($b, ($a + $b) * $y))
    END AS value;
