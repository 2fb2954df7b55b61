-- name:     student_t_mde
-- macro:    student_t_mde
-- title:    Minimum detectable effect of a two-sided t-test
-- params:   se DOUBLE CHECK (se BETWEEN 0 AND 1e300), df DOUBLE CHECK (df BETWEEN 1 AND 1e300),
--           alpha DOUBLE CHECK (alpha >= 1e-100 AND alpha < 1),
--           power DOUBLE CHECK (power BETWEEN 0.5 AND 0.9999999999)
-- range:    [0, inf]
-- formula:  se * (t * (1 - 1 / (4 df)) + z * sqrt(1 + t^2 / (2 df))), t the two-sided critical value of Student's t
--           at alpha, z the normal quantile of the power
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.10
-- oracle:   scipy.stats.nct
-- example:  student_t_mde(0.01, 19, 0.05, 0.8) = 0.02954294818521702
-- note:     relative error below 1e-11; the t-test finds an effect of this size with probability power, which
--           the noncentral t distribution confirms to 0.015 from df = 2 on
SELECT
    CASE
        WHEN ($se BETWEEN 0e0 AND 1e300 AND $df BETWEEN 1e0 AND 1e300 AND $alpha >= 1e-100 AND $alpha < 1e0
            AND $power BETWEEN 0.5e0 AND 0.9999999999e0) IS NOT TRUE THEN NULL
        ELSE $se * list_transform([student_t_critical($alpha, $df)], lambda t:
            t * (1e0 - 0.25e0 / $df) + normal_quantile($power) * sqrt(1e0 + t * t / (2e0 * $df)))[1]
    END AS value;
