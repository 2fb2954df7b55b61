-- name:     two_proportion_mde
-- macro:    two_proportion_mde
-- title:    Minimum detectable increase of a proportion
-- params:   p DOUBLE CHECK (p BETWEEN 1e-9 AND 0.999999999), n DOUBLE CHECK (n BETWEEN 1 AND 1e30),
--           alpha DOUBLE CHECK (alpha > 0 AND alpha < 1), power DOUBLE CHECK (power BETWEEN 0.5 AND 0.9999999999),
--           share DOUBLE CHECK (share BETWEEN 1e-9 AND 0.999999999)
-- range:    [0, inf]
-- formula:  the d with two_proportion_units(p, p + d, alpha, power, share) = n; inf if even p + d = 1 needs more units
-- source:   Fleiss, Levin and Paik, Statistical Methods for Rates and Proportions, 2003,
--           doi:10.1002/0471445428, 4.4; Newton's method
-- oracle:   scipy.optimize.brentq
-- example:  two_proportion_mde(0.03, 10000, 0.05, 0.8, 0.5) = 0.010318849831550122
-- note:     relative error below 1e-13; n is the number of units of both arms, and share that of the control, which has
--           the proportion p. The minimum detectable decrease is two_proportion_mde(1 - p, n, alpha, power, share)
SELECT
    CASE
        WHEN ($p BETWEEN 1e-9 AND 0.999999999e0 AND $n BETWEEN 1e0 AND 1e30 AND $alpha > 0e0 AND $alpha < 1e0
            AND $power BETWEEN 0.5e0 AND 0.9999999999e0 AND $share BETWEEN 1e-9 AND 0.999999999e0) IS NOT TRUE
            THEN NULL
        WHEN two_proportion_units($p, 1e0, $alpha, $power, $share) > $n THEN CAST('inf' AS DOUBLE)
        -- d is the sum of z[1] * v[1], v[1]^2 the variance of the pooled proportion, and z[2] * v[2], v[2]^2 that of
        -- the difference. The sum is concave in d, so that no step from above the solution jumps over it.
        ELSE list_extract(list_transform(
            [[-normal_quantile(0.5e0 * $alpha) / sqrt($n), normal_quantile($power) / sqrt($n)]],
            lambda z: list_reduce(
                list_prepend(
                    least(1e0 - $p, 0.5e0 * (z[1] + z[2]) / sqrt($share * (1e0 - $share))),
                    list_transform(range(30), lambda i: 0e0)),
                lambda d, i: list_extract(list_transform([[
                    sqrt(($p + (1e0 - $share) * d) * (1e0 - $p - (1e0 - $share) * d) / ($share * (1e0 - $share))),
                    sqrt($p * (1e0 - $p) / $share + ($p + d) * (1e0 - $p - d) / (1e0 - $share))
                ]], lambda v: (
                    z[1] * (v[1] - d * (0.5e0 - $p - (1e0 - $share) * d) / ($share * v[1]))
                    + z[2] * (v[2] - d * (0.5e0 - $p - d) / ((1e0 - $share) * v[2]))
                ) / (
                    1e0 - z[1] * (0.5e0 - $p - (1e0 - $share) * d) / ($share * v[1])
                    - z[2] * (0.5e0 - $p - d) / ((1e0 - $share) * v[2])
                )), 1))), 1)
    END AS value;
