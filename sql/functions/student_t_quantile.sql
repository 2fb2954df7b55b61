-- name:     student_t_quantile
-- macro:    student_t_quantile
-- title:    Student t quantile
-- params:   p DOUBLE CHECK (p BETWEEN 0 AND 1), df DOUBLE CHECK (df >= 0.001)
-- range:    [-inf, inf]
-- formula:  the t with P(T <= t) = p
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.1 and 26.7.5
-- oracle:   scipy.stats.t.ppf
-- example:  student_t_quantile(0.975, 9) = 2.262157162798205
-- note:     relative error below 1e-12 for p from 1e-300 to 1 - 1e-16 and df from 1 to infinity
SELECT
    CASE
        WHEN ($p BETWEEN 0e0 AND 1e0 AND $df >= 0.001e0 AND NOT isnan($df)) IS NOT TRUE THEN NULL
        WHEN $p = 0e0 THEN CAST('-inf' AS DOUBLE)
        WHEN $p = 0.5e0 THEN 0e0
        WHEN $p = 1e0 THEN CAST('inf' AS DOUBLE)
        ELSE sign($p - 0.5e0) * student_t_critical(2e0 * least($p, 1e0 - $p), $df)
    END AS value;
