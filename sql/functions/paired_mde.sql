-- name:     paired_mde
-- macro:    paired_mde
-- title:    Minimum detectable effect of a paired comparison
-- params:   sd DOUBLE CHECK (sd BETWEEN 0 AND 1e300), n DOUBLE CHECK (n BETWEEN 1 AND 1e300),
--           alpha DOUBLE CHECK (alpha > 0 AND alpha < 1), power DOUBLE CHECK (power BETWEEN 0.5 AND 0.9999999999)
-- range:    [0, inf]
-- formula:  (z(1 - alpha / 2) + z(power)) * sd / sqrt(n), z the normal quantile, sd that of the differences
-- source:   Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988, doi:10.4324/9780203771587
-- oracle:   scipy.stats.norm.ppf
-- example:  paired_mde(0.2, 500, 0.05, 0.8) = 0.02505813996983669
-- note:     relative error below 1e-14; the two-sided test finds an effect of this size with probability power; the
--           normal approximation makes the value a little too small for n below 30
SELECT
    CASE
        WHEN ($sd BETWEEN 0e0 AND 1e300 AND $n BETWEEN 1e0 AND 1e300 AND $alpha > 0e0 AND $alpha < 1e0
            AND $power BETWEEN 0.5e0 AND 0.9999999999e0) IS NOT TRUE THEN NULL
        ELSE (normal_quantile($power) - normal_quantile(0.5e0 * $alpha)) * $sd / sqrt($n)
    END AS value;
