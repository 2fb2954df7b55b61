-- name:     erf
-- macro:    erf
-- title:    Error function
-- params:   x DOUBLE
-- range:    [-1, 1]
-- formula:  2 / sqrt(pi) * integral of exp(-t^2) from 0 to x
-- source:   Cody, Mathematics of Computation 1969, doi:10.1090/S0025-5718-1969-0247736-4
-- oracle:   scipy.special.erf
-- example:  erf(1) = 0.8427007929497149
-- note:     relative error below 1e-15
SELECT
    CASE
        WHEN (NOT isnan($x)) IS NOT TRUE THEN NULL
        WHEN abs($x) <= 0.46875e0 THEN erf_near_zero($x)
        ELSE 1e0 - erfc($x)
    END AS value;
