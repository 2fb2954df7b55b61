-- name:     two_proportion_power
-- macro:    two_proportion_power
-- title:    Power of the z-test of two proportions
-- params:   p1 DOUBLE CHECK (p1 BETWEEN 1e-100 AND 0.9999999999), p2 DOUBLE CHECK (p2 BETWEEN 1e-100 AND
--           0.9999999999), n DOUBLE CHECK (n BETWEEN 1 AND 1e100), alpha DOUBLE CHECK (alpha > 0 AND alpha < 1),
--           share DOUBLE CHECK (share BETWEEN 1e-9 AND 0.999999999)
-- range:    [0, 1]
-- formula:  P(Z <= (d - u) / v) + P(Z <= (-d - u) / v), d = abs(p2 - p1) * sqrt(n), u = z(1 - alpha / 2) *
--           sqrt(p * (1 - p) / (s * (1 - s))), v = sqrt(p1 * (1 - p1) / s + p2 * (1 - p2) / (1 - s)), s = share,
--           p = s * p1 + (1 - s) * p2, Z standard normal, z its quantile
-- source:   Fleiss, Levin and Paik, Statistical Methods for Rates and Proportions, 2003,
--           doi:10.1002/0471445428, 4.4
-- oracle:   statsmodels.stats.proportion.power_proportions_2indep
-- example:  two_proportion_power(0.06, 0.056, 300819, 0.05, 0.9) = 0.8000009676260115
-- note:     absolute error below 1e-10; n is the number of units of both arms, and share that of the units with the
--           proportion p1, the control
SELECT
    CASE
        WHEN ($p1 BETWEEN 1e-100 AND 0.9999999999e0 AND $p2 BETWEEN 1e-100 AND 0.9999999999e0
            AND $n BETWEEN 1e0 AND 1e100 AND $alpha > 0e0 AND $alpha < 1e0
            AND $share BETWEEN 1e-9 AND 0.999999999e0) IS NOT TRUE THEN NULL
        ELSE list_extract(list_transform([[
            abs($p2 - $p1) * sqrt($n),
            normal_quantile(0.5e0 * $alpha) * sqrt(($share * $p1 + (1e0 - $share) * $p2)
                * ($share * (1e0 - $p1) + (1e0 - $share) * (1e0 - $p2)) / ($share * (1e0 - $share))),
            sqrt($p1 * (1e0 - $p1) / $share + $p2 * (1e0 - $p2) / (1e0 - $share))
        ]], lambda x: normal_cdf((x[2] + x[1]) / x[3]) + normal_cdf((x[2] - x[1]) / x[3])), 1)
    END AS value;
