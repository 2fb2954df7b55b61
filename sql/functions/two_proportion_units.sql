-- name:     two_proportion_units
-- macro:    two_proportion_units
-- title:    Number of units of two arms together to distinguish two proportions
-- params:   p1 DOUBLE CHECK (p1 BETWEEN 0 AND 1), p2 DOUBLE CHECK (p2 BETWEEN 0 AND 1 AND p1 <> p2),
--           alpha DOUBLE CHECK (alpha > 0 AND alpha < 1), power DOUBLE CHECK (power BETWEEN 0.5 AND 0.9999999999),
--           share DOUBLE CHECK (share BETWEEN 1e-9 AND 0.999999999)
-- range:    [0, inf]
-- formula:  (z(1 - alpha / 2) * sqrt(p * (1 - p) / (s * (1 - s))) + z(power) * sqrt(p1 * (1 - p1) / s
--           + p2 * (1 - p2) / (1 - s)))^2 / (p2 - p1)^2, s = share, p = s * p1 + (1 - s) * p2, z the normal quantile
-- source:   Fleiss, Levin and Paik, Statistical Methods for Rates and Proportions, 2003,
--           doi:10.1002/0471445428, 4.4
-- oracle:   statsmodels.stats.proportion.samplesize_proportions_2indep_onetail
-- example:  two_proportion_units(0.06, 0.056, 0.05, 0.8, 0.9) = 300818.70344567817
-- note:     relative error below 1e-13; share is that of the units with the proportion p1, the control. Round the
--           units of each arm up. A decrease needs other numbers than an increase, because the variances differ
SELECT
    CASE
        WHEN ($p1 BETWEEN 0e0 AND 1e0 AND $p2 BETWEEN 0e0 AND 1e0 AND $p1 <> $p2 AND $alpha > 0e0 AND $alpha < 1e0
            AND $power BETWEEN 0.5e0 AND 0.9999999999e0 AND $share BETWEEN 1e-9 AND 0.999999999e0) IS NOT TRUE
            THEN NULL
        ELSE power((
            normal_quantile($power) * sqrt($p1 * (1e0 - $p1) / $share + $p2 * (1e0 - $p2) / (1e0 - $share))
            - normal_quantile(0.5e0 * $alpha) * sqrt(($share * $p1 + (1e0 - $share) * $p2)
                * ($share * (1e0 - $p1) + (1e0 - $share) * (1e0 - $p2)) / ($share * (1e0 - $share)))
        ) / ($p2 - $p1), 2e0)
    END AS value;
