-- name:     log1p
-- title:    Logarithm of 1 + x
-- params:   x DOUBLE CHECK (x >= -1)
-- range:    [-inf, inf]
-- formula:  ln(1 + x)
-- source:   Goldberg, ACM Computing Surveys 1991, doi:10.1145/103162.103163, theorem 4
-- oracle:   math.log1p
-- example:  log1p(1e-10) = 9.999999999500001e-11
-- note:     relative error below 1e-15, also where 1 + x is rounded to 1
SELECT
    CASE
        WHEN ($x >= -1e0 AND NOT isnan($x)) IS NOT TRUE THEN NULL
        WHEN $x = -1e0 THEN CAST('-inf' AS DOUBLE)
        WHEN $x > 1e16 THEN ln($x)
        WHEN 1e0 + $x = 1e0 THEN $x
        -- The quotient cancels the rounding of 1 + x, because both of its parts contain it.
        ELSE $x * (ln(1e0 + $x) / ((1e0 + $x) - 1e0))
    END AS value;
