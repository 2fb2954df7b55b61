-- name:     two_proportion_sample_size
-- macro:    two_proportion_sample_size
-- title:    Number of units per arm to distinguish two proportions
-- params:   p1 DOUBLE CHECK (p1 BETWEEN 0 AND 1), p2 DOUBLE CHECK (p2 BETWEEN 0 AND 1 AND p1 <> p2),
--           alpha DOUBLE CHECK (alpha > 0 AND alpha < 1), power DOUBLE CHECK (power BETWEEN 0.5 AND 0.9999999999)
-- range:    [0, inf]
-- formula:  (z(1 - alpha / 2) * sqrt(2 * p * (1 - p)) + z(power) * sqrt(p1 * (1 - p1) + p2 * (1 - p2)))^2
--           / (p2 - p1)^2, p = (p1 + p2) / 2, z the normal quantile
-- source:   Fleiss, Levin and Paik, Statistical Methods for Rates and Proportions, 2003,
--           doi:10.1002/0471445428, 4.3
-- oracle:   scipy.stats.norm.ppf
-- example:  two_proportion_sample_size(0.06, 0.064, 0.05, 0.8) = 57056.2522778645
-- note:     relative error below 1e-13; round up. The pooled z-test finds a difference of this size with
--           probability power, by the normal approximation
SELECT
    CASE
        WHEN ($p1 BETWEEN 0e0 AND 1e0 AND $p2 BETWEEN 0e0 AND 1e0 AND $p1 <> $p2 AND $alpha > 0e0 AND $alpha < 1e0
            AND $power BETWEEN 0.5e0 AND 0.9999999999e0) IS NOT TRUE THEN NULL
        ELSE 0.5e0 * two_proportion_units($p1, $p2, $alpha, $power, 0.5e0)
    END AS value;
