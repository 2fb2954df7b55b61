-- name:     student_t_sf
-- macro:    student_t_sf
-- title:    Survival function of the Student t distribution
-- params:   t DOUBLE CHECK (abs(t) <= 1e300 OR isinf(t)), df DOUBLE CHECK (df >= 0.001)
-- range:    [0, 1]
-- formula:  P(T >= t), half of the two-sided p-value for t >= 0
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.1
-- oracle:   scipy.stats.t.sf
-- example:  student_t_sf(1.96, 99.5) = 0.02639646821649838
-- note:     relative error below 1e-12 down to 1e-300 for df from 1 to infinity, whole or not
SELECT
    CASE WHEN $t < 0e0 THEN 1e0 ELSE 0e0 END
    + CASE WHEN $t < 0e0 THEN -0.5e0 ELSE 0.5e0 END * student_t_p($t, $df) AS value;
