-- name:     stirling_error
-- title:    Error of Stirling's formula for the logarithm of a factorial
-- params:   x DOUBLE CHECK (x > 0)
-- range:    [0, inf]
-- formula:  ln Gamma(x + 1) - (x + 1/2) ln x + x - ln(2 pi) / 2
-- source:   Loader, Fast and accurate computation of binomial probabilities, 2000
-- oracle:   mpmath
-- example:  stirling_error(1) = 0.08106146679532726
-- note:     absolute error below 3e-15: the value is part of exponents, where the logarithms themselves are so large
--           that their difference would lose digits
SELECT
    CASE
        WHEN ($x > 0e0 AND NOT isnan($x)) IS NOT TRUE THEN NULL
        WHEN $x < 16e0 THEN
            -- Sixteen steps by Gamma(x + 1) = x Gamma(x) reach the range where the series is accurate.
            list_sum(list_transform(range(0, 16), lambda i: ($x + i + 0.5e0) * log1p(1e0 / ($x + i)) - 1e0))
            + stirling_series($x + 16e0)
        ELSE stirling_series($x)
    END AS value;
