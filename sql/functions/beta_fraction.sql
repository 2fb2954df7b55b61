-- name:     beta_fraction
-- title:    Continued fraction of the incomplete beta function
-- params:   a DOUBLE CHECK (a > 0), b DOUBLE CHECK (b > 0), x DOUBLE CHECK (x >= 0)
-- range:    [0, inf]
-- formula:  1/(1 + d1/(1 + d2/(1 + ...))), where I_x(a, b) = x^a (1-x)^b / (a B(a, b)) times the fraction
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.5.8
-- oracle:   mpmath
-- example:  beta_fraction(2, 3, 0.25) = 1.6543209876543212
-- note:     for x < (a + 1) / (a + b + 2), where it converges fast: a step of incomplete_beta_xy
SELECT 1e0 / list_reduce(
    CAST(range(CAST(100e0 + 2e0 * sqrt(least($a, $b)) AS BIGINT), 0, -1) AS DOUBLE[]),
    lambda below, i: 1e0 + CASE
        WHEN i % 2e0 = 0e0 THEN 0.5e0 * i * ($b - 0.5e0 * i) * $x / (($a + i - 1e0) * ($a + i))
        ELSE -($a + 0.5e0 * (i - 1e0)) * ($a + $b + 0.5e0 * (i - 1e0)) * $x / (($a + i - 1e0) * ($a + i))
    END / below,
    1e0) AS value;
