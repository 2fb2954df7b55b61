-- name:     planned_t_units
-- title:    Number of units at which a two-sided t-test finds a difference of 1
-- params:   spread DOUBLE CHECK (spread BETWEEN 0 AND 1e6), alpha DOUBLE CHECK (alpha >= 1e-20 AND alpha < power),
--           power DOUBLE CHECK (power BETWEEN 0.5 AND 0.9999999999), per_unit DOUBLE CHECK (per_unit BETWEEN 0.01 AND
--           1), lost DOUBLE CHECK (lost BETWEEN 1 AND 100)
-- range:    [2, inf]
-- formula:  the smallest n with student_t_mde(spread / sqrt(n), n * per_unit - lost, alpha, power) <= 1
-- source:   Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988, doi:10.4324/9780203771587; where the
--           search begins and ends: Guenther, The American Statistician 1981, doi:10.1080/00031305.1981.10479368
-- oracle:   statsmodels.stats.power.TTestPower
-- example:  planned_t_units(10, 0.05, 0.8, 1, 1) = 787
-- note:     relative error below 1e-14; n units have the standard error spread / sqrt(n). The z-test needs up to
--           (z^2 / 2 + 6) / per_unit units fewer, z its critical value: all of these are tried
SELECT
    CASE
        WHEN ($spread BETWEEN 0e0 AND 1e6 AND $alpha >= 1e-20 AND $alpha < $power
            AND $power BETWEEN 0.5e0 AND 0.9999999999e0 AND $per_unit BETWEEN 0.01e0 AND 1e0
            AND $lost BETWEEN 1e0 AND 100e0) IS NOT TRUE THEN NULL
        ELSE CAST(list_extract(list_transform([-normal_quantile(0.5e0 * $alpha)], lambda z:
            list_extract(list_transform(
                [greatest(ceil((1e0 + $lost) / $per_unit), floor(power($spread * (z + normal_quantile($power)), 2e0)))],
                lambda low: list_extract(list_filter(
                    range(CAST(low AS BIGINT), CAST(low + floor((0.5e0 * z * z + 6e0) / $per_unit) AS BIGINT) + 1),
                    lambda n: student_t_mde($spread / sqrt(n), n * $per_unit - $lost, $alpha, $power) <= 1e0), 1)),
                1)), 1) AS DOUBLE)
    END AS value;
