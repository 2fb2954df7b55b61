-- name:     ratio_delta
-- title:    Ratio of sums against a control, by the delta method
-- inputs:   ratios (arm, numerator, denominator)
-- params:   control VARCHAR, level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- grain:    one row per arm but the control: arm, control_ratio, ratio, delta, delta_lower, delta_upper,
--           relative_change, relative_lower, relative_upper, p, n_control, n, se, statistic
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  ratio = sum of numerators / sum of denominators; its variance v is that of (numerator - ratio *
--           denominator) / mean denominator over n; statistic = delta / se, se^2 = v of both arms; relative_change
--           = r - 1, r = ratio / control_ratio, within r * exp(-+ z * s) - 1, s^2 the sum of v / ratio^2
-- source:   Deng, Knoblich and Lu, KDD 2018, doi:10.1145/3219819.3219919
-- oracle:   the formula in numpy
-- example:  ratio_delta(VALUES ('A', 0, 1), ('A', 1, 1), ('B', 1, 1), ('B', 2, 1); control := 'A') = 'B', 0.5, 1.5, 1,
--           -0.38590382434967796, 2.385903824349678, 2, -0.6199190993019296, 22.679169312297127, 0.15729920705028502,
--           2, 2, 0.7071067811865476, 1.4142135623730951
-- note:     a row is a unit, such as a user with clicks and impressions; one with NULL on either side is left
--           out. An arm with one unit has no interval and no p, one whose denominators sum to 0 no ratio
WITH shares AS (
    SELECT
        arm,
        sum(CAST(numerator AS DOUBLE)) / nullif(sum(CAST(denominator AS DOUBLE)), 0) AS ratio,
        avg(denominator) AS mean_denominator
    FROM ratios
    WHERE numerator IS NOT NULL AND denominator IS NOT NULL
    GROUP BY arm
),
linear AS (
    SELECT
        shares.arm,
        shares.ratio,
        (ratios.numerator - shares.ratio * ratios.denominator) / nullif(shares.mean_denominator, 0) AS influence
    FROM ratios
    JOIN shares ON shares.arm = ratios.arm
    WHERE ratios.numerator IS NOT NULL AND ratios.denominator IS NOT NULL
),
arms AS (
    SELECT
        CAST(arm AS VARCHAR) = $control AS is_control,
        arm,
        ratio,
        count(*) AS n,
        CASE WHEN count(*) > 1 THEN var_samp(influence) END / nullif(count(*), 0) AS error
    FROM linear
    GROUP BY arm, ratio
),
compared AS (
    SELECT
        treated.arm,
        control.n AS n_control, treated.n,
        control.ratio AS control_ratio, treated.ratio,
        treated.ratio - control.ratio AS delta,
        sqrt(control.error + treated.error) AS se,
        treated.ratio / nullif(control.ratio, 0) AS lift,
        CASE WHEN control.ratio > 0 AND treated.ratio > 0 THEN exp(normal_quantile(0.5e0 + 0.5e0 * $level)
            * sqrt(control.error / nullif(control.ratio * control.ratio, 0)
                + treated.error / nullif(treated.ratio * treated.ratio, 0))) END AS factor
    FROM arms AS treated
    JOIN arms AS control ON control.is_control AND NOT treated.is_control
)
SELECT
    arm, control_ratio, ratio, delta,
    delta - normal_quantile(0.5e0 + 0.5e0 * $level) * se AS delta_lower,
    delta + normal_quantile(0.5e0 + 0.5e0 * $level) * se AS delta_upper,
    lift - 1 AS relative_change,
    lift / nullif(factor, 0) - 1 AS relative_lower,
    lift * factor - 1 AS relative_upper,
    CASE
        WHEN se > 1e-12 * greatest(abs(delta), 1e-3) THEN normal_p(delta / nullif(se, 0))
        WHEN se IS NOT NULL AND abs(delta) <= 1e-12 THEN 1e0
    END AS p,
    n_control, n, se,
    CASE WHEN se > 1e-12 * greatest(abs(delta), 1e-3) THEN delta / nullif(se, 0) END AS statistic
FROM compared
ORDER BY arm;
