-- name:     planned_arm_units
-- macro:    planned_arm_units
-- title:    Number of units of two arms of unequal size that a two-sided t-test needs to find a difference
-- params:   sd DOUBLE CHECK (sd > 0 AND sd <= 1e4 * abs(difference)), difference DOUBLE CHECK (abs(difference) BETWEEN
--           1e-100 AND 1e100), alpha DOUBLE CHECK (alpha >= 1e-20 AND alpha < power),
--           power DOUBLE CHECK (power BETWEEN 0.5 AND 0.9999999999), share DOUBLE CHECK (share BETWEEN 0.01 AND 0.99)
-- range:    [4, inf]
-- formula:  planned_t_units(sd / sqrt(v) / abs(difference), alpha, power, v / (1 - 3 * v), 2), v = share * (1 - share)
-- source:   Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988, doi:10.4324/9780203771587
-- oracle:   statsmodels.stats.power.TTestIndPower
-- example:  planned_arm_units(0.2, 0.02, 0.05, 0.8, 0.9) = 8737
-- note:     relative error below 1e-14; the result counts the units of both arms. share is that of the units in one of
--           the arms. For m comparisons, divide alpha by m
SELECT
    CASE
        WHEN ($sd > 0e0 AND $sd <= 1e4 * abs($difference) AND abs($difference) BETWEEN 1e-100 AND 1e100
            AND $share BETWEEN 0.01e0 AND 0.99e0) IS NOT TRUE THEN NULL
        ELSE planned_t_units($sd / sqrt($share * (1e0 - $share)) / abs($difference), $alpha, $power,
            $share * (1e0 - $share) / (1e0 - 3e0 * $share * (1e0 - $share)), 2e0)
    END AS value;
