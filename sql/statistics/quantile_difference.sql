-- name:     quantile_difference
-- title:    Quantile, such as the median, against a control
-- meaning:  The test shows whether a quantile of an arm, such as the median, differs from that of a control by more
--           than chance explains. It takes into account that values of the same unit, such as the page loads of a user,
--           are correlated.
-- use:      to compare the typical value or a slow tail of separate groups of users, such as the arms of an A/B test
-- beware:   values with many ties, such as counts, have quantiles that jump: the interval is then longer than needed,
--           or a single point without a p; compare a mean, or the share of values above a limit
-- reading:  p < 0.05: the difference from the control is larger than chance explains
--           p >= 0.05: chance can explain the difference; this does not prove that it is 0
--           delta_lower is NULL: there are too few values for this quantile; take more units
-- inputs:   arm_values (arm, value, cluster_id)
-- optional: cluster_id = NULL
-- params:   control VARCHAR, q DOUBLE DEFAULT 0.5 CHECK (q > 0 AND q < 1),
--           level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- values:   control: as in welch_t
--           q: as in relations/inference/quantile_units
--           level: as in mean_interval
-- grain:    one row per arm but the control: arm, control_quantile, quantile, delta, delta_lower, delta_upper,
--           relative_change, relative_lower, relative_upper, p, n_control, n, n_effective_control, n_effective, se,
--           statistic
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  quantile x and its interval l to u by order statistics, see relations/inference/quantile_arms; delta_lower
--           = delta - sqrt((x - l)^2 + (u_c - x_c)^2), delta_upper = delta + sqrt((u - x)^2 + (x_c - l_c)^2); se is the
--           part of the interval between delta and the side of 0, over the normal critical value; statistic = delta /
--           se, of the normal distribution; relative_change = delta / abs(control_quantile), its interval the same of
--           the logarithms
-- tex:      x - x_c - \sqrt{(x - l)^2 + (u_c - x_c)^2} \le \Delta \le x - x_c + \sqrt{(u - x)^2 + (x_c - l_c)^2}
-- symbols:  x, x_c: the quantiles of the arm and of the control
--           l, u: the bounds of the quantile of the arm
--           l_c, u_c: the bounds of the quantile of the control
--           \Delta: the difference of the quantiles of all units
-- source:   Liu, Sun, Varshney and Xu, Large-scale online experimentation with quantile metrics, JSM 2018,
--           arXiv:1903.08762; Zou and Donner, Statistics in Medicine 2008, doi:10.1002/sim.3095
-- oracle:   the formula in numpy
-- example:  quantile_difference(VALUES ('A', 1, NULL), ('A', 2, NULL), ('A', 3, NULL), ('B', 3, NULL), ('B', 4, NULL),
--           ('B', 8, NULL); control := 'A', level := 0.5) = 'B', 2, 4, 2, 1.2302289369302721, 4.244249019401755, 1,
--           0.5090450527843344, 2.426194526323363, 0.07969775466902214, 3, 3, 3, 3, 1.1412642858485942,
--           1.752442466481712
-- related:  welch_t, quantile_interval, mann_whitney
-- note:     a row is a value; rows with the same cluster_id are of one unit, and a row without one is a unit of its
--           own. A value that is NULL is left out. If both intervals are single points, p is 1 if the quantiles are
--           equal, else NULL. The relative interval needs positive bounds
WITH compared AS (
    SELECT
        treated.arm,
        control.quantile AS control_quantile, treated.quantile,
        treated.quantile - control.quantile AS delta,
        sqrt(power(treated.quantile - treated.lower, 2) + power(control.upper - control.quantile, 2)) AS below,
        sqrt(power(treated.upper - treated.quantile, 2) + power(control.quantile - control.lower, 2)) AS above,
        CASE WHEN treated.lower > 0 AND control.lower > 0 THEN
            exp(sqrt(power(ln(treated.quantile / nullif(treated.lower, 0)), 2)
                + power(ln(control.upper / nullif(control.quantile, 0)), 2))) END AS factor_below,
        CASE WHEN treated.lower > 0 AND control.lower > 0 THEN
            exp(sqrt(power(ln(treated.upper / nullif(treated.quantile, 0)), 2)
                + power(ln(control.quantile / nullif(control.lower, 0)), 2))) END AS factor_above,
        treated.quantile / nullif(control.quantile, 0) AS ratio,
        control.n AS n_control, treated.n,
        control.n_effective AS n_effective_control, treated.n_effective,
        1e-12 * greatest(abs(control.quantile), abs(treated.quantile)) AS rounding
    FROM quantile_arms AS treated
    JOIN quantile_arms AS control
        ON CAST(control.arm AS VARCHAR) = $control AND NOT CAST(treated.arm AS VARCHAR) = $control
),
tested AS (
    SELECT
        arm, control_quantile, quantile, delta, below, above, factor_below, factor_above, ratio, n_control, n,
        n_effective_control, n_effective, rounding,
        CASE WHEN delta > 0 THEN below ELSE above END / nullif(normal_quantile(0.5e0 + 0.5e0 * $level), 0) AS se
    FROM compared
)
SELECT
    arm, control_quantile, quantile, delta,
    delta - below AS delta_lower,
    delta + above AS delta_upper,
    delta / nullif(abs(control_quantile), 0) AS relative_change,
    ratio / nullif(factor_below, 0) - 1 AS relative_lower,
    ratio * factor_above - 1 AS relative_upper,
    CASE
        WHEN below IS NULL OR above IS NULL THEN NULL
        WHEN se <= rounding THEN CASE WHEN abs(delta) <= rounding THEN 1e0 END
        ELSE normal_p(delta / nullif(se, 0))
    END AS p,
    n_control, n, n_effective_control, n_effective,
    CASE WHEN below IS NOT NULL AND above IS NOT NULL THEN se END AS se,
    CASE WHEN below IS NOT NULL AND above IS NOT NULL AND se > rounding THEN delta / nullif(se, 0) END AS statistic
FROM tested
ORDER BY arm;
