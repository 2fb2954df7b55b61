-- name:     exp_minus_square
-- title:    Exponential of the negative square
-- params:   x DOUBLE
-- range:    [0, 1]
-- formula:  exp(-x^2)
-- source:   Cody, Mathematics of Computation 1969, doi:10.1090/S0025-5718-1969-0247736-4
-- oracle:   mpmath
-- example:  exp_minus_square(2) = 0.01831563888873418
-- note:     relative error below 1e-15 down to 1e-300; a plain exp(-x * x) loses three digits there
SELECT
    CASE
        WHEN (NOT isnan($x)) IS NOT TRUE THEN NULL
        WHEN abs($x) > 27.5e0 THEN 0e0
        -- abs(x) = h + rest, where h = floor(16 abs(x)) / 16: h^2 is exact, and x^2 = h^2 + rest * (abs(x) + h).
        ELSE exp(-floor(abs($x) * 16e0) * floor(abs($x) * 16e0) / 256e0) * exp(
            (floor(abs($x) * 16e0) / 16e0 - abs($x)) * (floor(abs($x) * 16e0) / 16e0 + abs($x)))
    END AS value;
