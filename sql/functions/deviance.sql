-- name:     deviance
-- title:    Deviance of a count from its expectation
-- params:   observed DOUBLE CHECK (observed >= 0),
--           expected DOUBLE CHECK (expected >= 0 AND observed + expected <= 1e308)
-- range:    [0, inf]
-- formula:  observed * ln(observed / expected) + expected - observed
-- source:   Loader, Fast and accurate computation of binomial probabilities, 2000
-- oracle:   mpmath
-- example:  deviance(3, 5) = 0.46752312870202795
-- note:     relative error below 3e-15, also if the two are close and the formula would cancel
SELECT
    CASE
        WHEN ($observed >= 0e0 AND $expected >= 0e0 AND $observed + $expected <= 1e308) IS NOT TRUE
            THEN NULL
        WHEN $observed = $expected THEN 0e0
        WHEN $expected = 0e0 THEN CAST('inf' AS DOUBLE)
        WHEN $observed / $expected = 0e0 THEN $expected
        WHEN abs($observed - $expected) > 0.25e0 * ($observed + $expected)
            THEN $observed * ln($observed / $expected) + ($expected - $observed)
        -- ln(o / e) = 2 (v + v^3/3 + v^5/5 + ...), v = (o - e) / (o + e), summed from the smallest term.
        ELSE ($observed - $expected) / ($observed + $expected) * (
            ($observed - $expected)
            + 2e0 * $observed * power(($observed - $expected) / ($observed + $expected), 2e0)
            * list_reduce(
                list_prepend(0e0, CAST(range(27, 1, -2) AS DOUBLE[])),
                lambda total, i: 1e0 / i
                    + total * power(($observed - $expected) / ($observed + $expected), 2e0)))
    END AS value;
