-- name:     erfc
-- macro:    erfc
-- title:    Complementary error function
-- params:   x DOUBLE
-- range:    [0, 2]
-- formula:  1 - erf(x) = 2 / sqrt(pi) * integral of exp(-t^2) from x to infinity
-- source:   Cody, Mathematics of Computation 1969, doi:10.1090/S0025-5718-1969-0247736-4
-- oracle:   scipy.special.erfc
-- example:  erfc(1) = 0.15729920705028513
-- note:     relative error below 2e-15 down to 1e-300
SELECT
    CASE
        WHEN (NOT isnan($x)) IS NOT TRUE THEN NULL
        WHEN abs($x) <= 0.46875e0 THEN 1e0 - erf_near_zero($x)
        WHEN $x > 0e0 THEN exp_minus_square($x) * scaled_erfc($x)
        ELSE 2e0 - exp_minus_square($x) * scaled_erfc(-$x)
    END AS value;
