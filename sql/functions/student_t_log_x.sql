-- name:     student_t_log_x
-- title:    Point where the power law of the Student t tail reaches a p-value
-- params:   alpha DOUBLE CHECK (alpha > 0 AND alpha < 1), df DOUBLE CHECK (df BETWEEN 0.001 AND 1e16)
-- range:    [-inf, 1]
-- formula:  the ln x with x^a / (a * B(a, 1 / 2)) = alpha, a = df / 2
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.1
-- oracle:   mpmath
-- example:  student_t_log_x(0.05, 9) = -0.36524604296856006
-- note:     error below 1e-12, relative or absolute, whichever is larger: a step of student_t_critical
SELECT
    CASE
        WHEN $alpha > 0e0 AND $alpha < 1e0 AND $df BETWEEN 0.001e0 AND 1e16
            THEN (ln($alpha * 0.5e0 * $df) + log_beta(0.5e0 * $df, 0.5e0)) * 2e0 / $df
    END AS value;
