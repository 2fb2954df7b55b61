-- name:     student_t_p
-- macro:    student_t_p
-- title:    Two-sided p-value of a Student t statistic
-- params:   t DOUBLE CHECK (abs(t) <= 1e300 OR isinf(t)), df DOUBLE CHECK (df >= 0.001)
-- range:    [0, 1]
-- formula:  P(abs(T) >= abs(t)) = I_x(df / 2, 1 / 2), x = df / (df + t^2)
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.1
-- oracle:   2 * scipy.stats.t.sf(abs(t), df)
-- example:  student_t_p(2.262157162798205, 9) = 0.05000000000000005
-- note:     relative error below 1e-12 down to 1e-300 for df from 1 to infinity, whole or not
SELECT
    CASE
        WHEN ($df >= 0.001e0 AND NOT isnan($df) AND NOT isnan($t)) IS NOT TRUE THEN NULL
        WHEN $t = 0e0 THEN 1e0
        WHEN abs($t) = CAST('inf' AS DOUBLE) THEN 0e0
        WHEN abs($t) > 1e300 THEN NULL
        -- I_x(a, b) = weight / fraction, or 1 - I_y(b, a), whichever converges faster. A list names two values, because
        -- DuckDB writes an argument wherever it is read. From 1e18 degrees of freedom on, the distribution is normal.
        ELSE list_transform([least($df, 1e18)], lambda df: list_transform([abs($t)], lambda t:
            CASE WHEN t * t > 3e0 * df / (df + 2e0) THEN 0e0 ELSE 1e0 END
            + student_t_weight(df, t / sqrt(df)) / CASE
                WHEN t / sqrt(df) > 1e10 THEN 0.5e0 * df  -- here the fraction equals a
                WHEN t * t > 3e0 * df / (df + 2e0)
                    THEN beta_fraction(0.5e0 * df, 0.5e0, df / (df + t * t), t * t / (df + t * t))
                ELSE -beta_fraction(0.5e0, 0.5e0 * df, t * t / (df + t * t), df / (df + t * t))
            END)[1])[1]
    END AS value;
