-- name:     student_t_critical
-- macro:    student_t_critical
-- title:    Two-sided critical value of the Student t distribution
-- params:   alpha DOUBLE CHECK (alpha > 0 AND alpha < 1), df DOUBLE CHECK (df >= 0.001)
-- range:    [0, inf]
-- formula:  the t >= 0 with P(abs(T) >= t) = alpha
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.1 and 26.7.5
-- oracle:   scipy.stats.t.isf(alpha / 2, df)
-- example:  student_t_critical(0.05, 9) = 2.2621571627982053
-- note:     relative error below 1e-12 for alpha from 1e-300 and df from 1 to infinity
SELECT
    CASE
        WHEN ($alpha > 0e0 AND $alpha < 1e0 AND $df >= 0.001e0 AND NOT isnan($df)) IS NOT TRUE THEN NULL
        WHEN $df > 1e16 THEN -normal_quantile(0.5e0 * $alpha)
        -- Newton's method for the p-value as a function of ln t, from below: six steps suffice for every df. In the far
        -- tail I_x(a, b) = x^a / (a B(a, b)), which gives x = df / (df + t^2) without a step. The first value and
        -- the steps are a list that names two values, because DuckDB expands a function at every call.
        ELSE list_reduce(
            list_transform([student_t_log_x($alpha, $df)], lambda log_x:
                list_transform([-normal_quantile(0.5e0 * $alpha)], lambda z: CASE
                    WHEN log_x < -46e0 THEN [sqrt($df) * exp(-0.5e0 * log_x)]
                    ELSE list_prepend(
                        greatest(
                            sqrt($df * (exp(-least(log_x, 0e0)) - 1e0)),
                            student_t_expansion(z, $df)),
                        CAST(range(0, 6) AS DOUBLE[]))
                END)[1])[1],
            lambda t, i: t * exp(
                (student_t_p(t, $df) - $alpha) / (2e0 * student_t_weight($df, t / sqrt($df)))))
    END AS value;
