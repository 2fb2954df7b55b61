-- name:     student_t_expansion
-- title:    Student t quantile from a normal one, three terms
-- params:   z DOUBLE CHECK (abs(z) <= 1e50), df DOUBLE CHECK (df >= 0.001)
-- range:    [-inf, inf]
-- formula:  z + (z^3 + z) / (4 df) + (5 z^5 + 16 z^3 + 3 z) / (96 df^2)
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.5
-- oracle:   mpmath
-- example:  student_t_expansion(2, 10) = 2.280625
-- note:     too near to zero by a few percent for small df: a step of student_t_quantile
SELECT
    CASE
        WHEN abs($z) <= 1e50 AND $df >= 0.001e0 AND NOT isnan($df)
            THEN $z
                + ($z * $z + 1e0) * $z / (4e0 * $df)
                + ((5e0 * $z * $z + 16e0) * $z * $z + 3e0) * $z / (96e0 * $df * $df)
    END AS value;
