-- name:     student_t_p
-- title:    Two-sided p-value of a Student t statistic
-- params:   t DOUBLE, df DOUBLE CHECK (df > 0)
-- range:    [0, 1]
-- formula:  P(abs(T) >= abs(t)) = I_x(df / 2, 1 / 2), x = df / (df + t^2)
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.1
-- oracle:   2 * scipy.stats.t.sf(abs(t), df)
-- example:  student_t_p(2.262157162798205, 9) = 0.05000000000000005
-- note:     relative error below 1e-12 down to 1e-300 for df from 1 to infinity, whole or not
SELECT
    CASE
        WHEN ($df > 0e0 AND NOT isnan($t) AND NOT isnan($df)) IS NOT TRUE THEN NULL
        WHEN $t = 0e0 THEN 1e0
        WHEN abs($t) = CAST('inf' AS DOUBLE) THEN 0e0
        WHEN $df > 1e16 THEN normal_p($t)
        -- s = abs(t) / sqrt(df), so that x = 1 / (1 + s^2) and 1 - x = 1 / (1 + 1/s^2).
        ELSE list_transform([abs($t) / sqrt($df)], lambda s: CASE
            WHEN s * s > 3e0 / ($df + 2e0)
                THEN student_t_weight($df, s) * 2e0 / $df * beta_fraction(0.5e0 * $df, 0.5e0, 1e0 / (1e0 + s * s))
            ELSE 1e0 - student_t_weight($df, s) * 2e0 * beta_fraction(0.5e0, 0.5e0 * $df, s * s / (1e0 + s * s))
        END)[1]
    END AS value;
