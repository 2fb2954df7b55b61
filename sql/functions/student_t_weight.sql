-- name:     student_t_weight
-- title:    Density of the Student t distribution times t
-- params:   df DOUBLE CHECK (df BETWEEN 0.001 AND 1e18), s DOUBLE CHECK (s > 0 AND s <= 1e308)
-- range:    [0, 1]
-- formula:  s / (B(df / 2, 1 / 2) * (1 + s^2)^((df + 1) / 2)), s = t / sqrt(df)
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.1
-- oracle:   t * scipy.stats.t.pdf(t, df)
-- example:  student_t_weight(1, 1) = 0.15915494309189535
-- note:     relative error below 1e-12 down to 1e-300, also if t^2 or the density is outside the range of a DOUBLE
SELECT
    CASE
        WHEN $df BETWEEN 0.001e0 AND 1e18 AND $s > 0e0 AND $s <= 1e308
            THEN exp(
                ln($s)
                - 0.5e0 * ($df + 1e0) * CASE WHEN $s > 1e8 THEN 2e0 * ln($s) ELSE log1p($s * $s) END
                - log_beta(0.5e0 * $df, 0.5e0))
    END AS value;
