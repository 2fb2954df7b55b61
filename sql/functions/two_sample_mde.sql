-- name:     two_sample_mde
-- macro:    two_sample_mde
-- title:    Minimum detectable difference of two means
-- params:   var_c DOUBLE CHECK (var_c BETWEEN 0 AND 1e300), n_c DOUBLE CHECK (n_c BETWEEN 1 AND 1e300),
--           var_t DOUBLE CHECK (var_t BETWEEN 0 AND 1e300), n_t DOUBLE CHECK (n_t BETWEEN 1 AND 1e300),
--           alpha DOUBLE CHECK (alpha > 0 AND alpha < 1), power DOUBLE CHECK (power BETWEEN 0.5 AND 0.9999999999)
-- range:    [0, inf]
-- formula:  (z(1 - alpha / 2) + z(power)) * sqrt(var_c / n_c + var_t / n_t), z the normal quantile
-- source:   Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988, doi:10.4324/9780203771587
-- oracle:   scipy.stats.norm.ppf
-- example:  two_sample_mde(0.25, 10000, 0.25, 10000, 0.05, 0.8) = 0.019810199057996726
-- note:     relative error below 1e-14; the two-sided test finds a difference of this size with probability power;
--           the normal approximation makes the value a little too small for arms below 30
SELECT
    CASE
        WHEN ($var_c BETWEEN 0e0 AND 1e300 AND $n_c BETWEEN 1e0 AND 1e300 AND $var_t BETWEEN 0e0 AND 1e300
            AND $n_t BETWEEN 1e0 AND 1e300 AND $alpha > 0e0 AND $alpha < 1e0
            AND $power BETWEEN 0.5e0 AND 0.9999999999e0) IS NOT TRUE THEN NULL
        ELSE (normal_quantile($power) - normal_quantile(0.5e0 * $alpha)) * sqrt($var_c / $n_c + $var_t / $n_t)
    END AS value;
