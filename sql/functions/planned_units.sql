-- name:     planned_units
-- macro:    planned_units
-- title:    Number of units that a two-sided t-test needs to find a difference
-- params:   sd DOUBLE CHECK (sd > 0 AND sd <= 1e5 * difference), difference DOUBLE CHECK (difference BETWEEN 1e-100 AND
--           1e100), alpha DOUBLE CHECK (alpha >= 1e-20 AND alpha < power),
--           power DOUBLE CHECK (power BETWEEN 0.5 AND 0.9999999999),
--           arms DOUBLE CHECK (arms BETWEEN 1 AND 2 AND arms = floor(arms))
-- range:    [2, inf]
-- formula:  the smallest n with student_t_mde(arms * sd / sqrt(n), n - arms, alpha, power) <= difference; with arms =
--           1, sd is that of the differences of pairs; with arms = 2, it is that of the values, and each arm has n / 2
--           units
-- source:   Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988, doi:10.4324/9780203771587; where the
--           search begins and ends: Guenther, The American Statistician 1981, doi:10.1080/00031305.1981.10479368
-- oracle:   statsmodels.stats.power.TTestPower
-- example:  planned_units(0.2, 0.02, 0.05, 0.8, 1) = 787
-- note:     relative error below 1e-14; the z-test needs up to z^2 / 2 + 3 units fewer, z its critical value, and all
--           of these numbers are tried. If power is at most alpha, or sd more than 1e5 times the difference, the result
--           is NULL. For m comparisons, divide alpha by m
SELECT
    CASE
        WHEN ($sd > 0e0 AND $sd <= 1e5 * $difference AND $difference BETWEEN 1e-100 AND 1e100
            AND $alpha >= 1e-20 AND $alpha < $power AND $power BETWEEN 0.5e0 AND 0.9999999999e0
            AND $arms IN (1, 2)) IS NOT TRUE THEN NULL
        ELSE planned_t_units($arms * $sd / $difference, $alpha, $power, 1e0, $arms)
    END AS value;
