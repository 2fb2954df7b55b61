-- name:     one_sided_t_power
-- title:    Power of a one-sided t-test
-- params:   effect DOUBLE CHECK (abs(effect) <= 1e300), df DOUBLE CHECK (df BETWEEN 1 AND 1e300),
--           alpha DOUBLE CHECK (alpha >= 1e-100 AND alpha < 0.5)
-- range:    [0, 1]
-- formula:  P(Z <= (d - u) / s), d = effect, u = t * (1 - 1 / (4 df)), s = sqrt(1 + t^2 / (2 df)), t the one-sided
--           critical value of Student's t at alpha, Z standard normal
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.10
-- oracle:   scipy.stats.nct
-- example:  one_sided_t_power(2.5804854844081766, 19, 0.05) = 0.8
-- note:     relative error below 1e-11; effect is the true difference divided by its standard error, above 0 in the
--           direction of the test
SELECT
    CASE
        WHEN (abs($effect) <= 1e300 AND $df BETWEEN 1e0 AND 1e300 AND $alpha >= 1e-100 AND $alpha < 0.5e0) IS NOT TRUE
            THEN NULL
        ELSE list_transform([student_t_critical(2e0 * $alpha, $df)], lambda t:
            normal_cdf(($effect - t * (1e0 - 0.25e0 / $df)) / sqrt(1e0 + t * t / (2e0 * $df))))[1]
    END AS value;
