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
        -- x = h + rest, where h is a multiple of 1/16: h^2 is exact, and x^2 = h^2 + rest * (x + h).
        ELSE list_transform([floor(abs($x) * 16e0) / 16e0], lambda h:
            exp(-h * h) * exp(-(abs($x) - h) * (abs($x) + h)))[1]
    END AS value;
