-- name:     ratio_interval
-- title:    Ratio of sums with its interval, by the jackknife or the delta method
-- meaning:  The interval shows how precisely the units measure a ratio of two sums, such as revenue per session. It
--           takes into account that the sessions of the same user are correlated.
-- use:      to report a ratio of sums together with its uncertainty, and to plan an experiment from its sd
-- beware:   intervals of two arms that overlap do not mean that the arms are equal; compare them with ratio_delta
-- reading:  level = 0.95: about 95 of 100 such intervals from new samples contain the true ratio
--           lower = upper: the ratio is the same without any of the units
-- inputs:   ratios (arm, numerator, denominator)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1),
--           variance VARCHAR DEFAULT 'jackknife' CHECK (variance IN ('jackknife', 'delta'))
-- values:   level: as in mean_interval
-- grain:    one row per arm: arm, n, n_effective, ratio, sd, se, lower, upper
-- range:    (-inf, inf)
-- formula:  ratio = sum of numerators / sum of denominators; se^2 is its variance v as in ratio_delta; sd = se *
--           sqrt(n); ratio -+ t * se, t the two-sided critical value of Student's t with df = n_effective - 1,
--           n_effective = (sum of denominators)^2 / sum of denominators^2; variance=delta: of the normal distribution
-- tex:      R \mp t \, \frac{s}{\sqrt{n}} \qquad R = \frac{\sum_i y_i}{\sum_i x_i}
-- symbols:  y_i: the numerator of unit i, such as the revenue of a user
--           x_i: the denominator of unit i, such as the sessions of a user
--           R: the ratio of the sums
--           s: sd, the standard deviation of the influence of a unit on the ratio
--           n: the number of units
--           t: the two-sided critical value
-- source:   Deng, Knoblich and Lu, KDD 2018, doi:10.1145/3219819.3219919; jackknife: Miller, Biometrika 1974,
--           doi:10.1093/biomet/61.1.1
-- oracle:   the formula in numpy
-- example:  ratio_interval(VALUES ('A', 0, 1), ('A', 1, 1), ('A', 3, 2); variance := 'delta') = 'A', 3,
--           2.6666666666666665, 1, 0.75, 0.4330127018922193, 0.15131069944287145, 1.8486893005571285
-- related:  ratio_delta, mean_interval, wilson_interval
-- note:     a row is a unit, such as a user with revenue and sessions. Rows with a NULL numerator or denominator do not
--           count. One unit has no interval. An arm whose denominators sum to 0 has no ratio. If one unit has all
--           denominators, the jackknife has no interval
SELECT
    arm, n, effective AS n_effective, ratio,
    sqrt(n * error) AS sd,
    sqrt(error) AS se,
    ratio - sqrt(error) * CASE $variance WHEN 'delta' THEN normal_quantile(0.5e0 + 0.5e0 * $level)
        ELSE student_t_critical(1 - $level, effective - 1) END AS lower,
    ratio + sqrt(error) * CASE $variance WHEN 'delta' THEN normal_quantile(0.5e0 + 0.5e0 * $level)
        ELSE student_t_critical(1 - $level, effective - 1) END AS upper
FROM ratio_arms
ORDER BY arm;
