-- name:     erf_near_zero
-- title:    Error function near zero
-- params:   x DOUBLE CHECK (abs(x) <= 0.46875)
-- range:    [-1, 1]
-- formula:  erf(x) for abs(x) <= 0.46875, a rational function of degree 4 in x^2
-- source:   Cody, Mathematics of Computation 1969, doi:10.1090/S0025-5718-1969-0247736-4
-- oracle:   math.erf
-- example:  erf_near_zero(0.25) = 0.27632639016823696
-- note:     relative error below 1e-15, NULL if abs(x) > 0.46875: a step of erf and erfc
SELECT
    CASE
        WHEN abs($x) <= 0.46875e0 THEN list_transform([$x * $x], lambda z: $x
            * ((((1.85777706184603153e-1
                * z + 3.16112374387056560e0)
                * z + 1.13864154151050156e2)
                * z + 3.77485237685302021e2)
                * z + 3.20937758913846947e3)
            / ((((z + 2.36012909523441209e1)
                * z + 2.44024637934444173e2)
                * z + 1.28261652607737228e3)
                * z + 2.84423683343917062e3))[1]
    END AS value;
