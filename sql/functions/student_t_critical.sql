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
        -- Lists name values, because DuckDB writes a function out at every call, and an argument wherever it is read.
        ELSE list_transform([-normal_quantile(0.5e0 * $alpha)], lambda z: CASE
            WHEN $df > 1e16 THEN z
            ELSE list_transform([log_beta(0.5e0 * $df, 0.5e0)], lambda log_beta: list_transform(
                -- The ln x where the power law of the tail, I_x(a, b) = x^a / (a B(a, b)), reaches alpha. In the far
                -- tail it gives x = df / (df + t^2) without a step.
                [(ln($alpha * 0.5e0 * $df) + log_beta) * 2e0 / $df], lambda log_x: CASE
                    WHEN log_x < -46e0 THEN sqrt($df) * exp(-0.5e0 * log_x)
                    -- Newton's method for the p-value as a function of ln t, from below: six steps suffice for every
                    -- df. The p-value is 0 or 1 + weight / fraction, as in student_t_p, and its slope -2 * weight.
                    ELSE list_reduce(
                        list_prepend(
                            greatest(
                                sqrt($df * (exp(-least(log_x, 0e0)) - 1e0)),
                                student_t_expansion(z, $df)),
                            CAST(range(0, 6) AS DOUBLE[])),
                        lambda t, i: t * exp(0.5e0 * (
                            (CASE WHEN t * t > 3e0 * $df / ($df + 2e0) THEN 0e0 ELSE 1e0 END - $alpha)
                            / exp(ln(t / sqrt($df)) - 0.5e0 * ($df + 1e0) * log1p(t * t / $df) - log_beta)
                            + 1e0 / CASE
                                WHEN t * t > 3e0 * $df / ($df + 2e0)
                                    THEN beta_fraction(
                                        0.5e0 * $df, 0.5e0, $df / ($df + t * t), t * t / ($df + t * t))
                                ELSE -beta_fraction(
                                    0.5e0, 0.5e0 * $df, t * t / ($df + t * t), $df / ($df + t * t))
                            END)))
                END)[1])[1]
        END)[1]
    END AS value;
