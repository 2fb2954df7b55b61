-- name:     beta_fraction
-- title:    Continued fraction of the incomplete beta function
-- params:   a DOUBLE CHECK (a BETWEEN 1e-100 AND 1e100),
--           b DOUBLE CHECK (b BETWEEN 1e-100 AND 1e100 AND least(a, b) <= 1e12),
--           x DOUBLE CHECK (x BETWEEN 0 AND 1), y DOUBLE CHECK (y > 0 AND y <= 1)
-- range:    [0, inf]
-- formula:  x^a * y^b / B(a, b) / I_x(a, b) = f(0) + g(1) / (f(1) + g(2) / (f(2) + ...)), y = 1 - x
-- source:   Didonato and Morris, ACM Transactions on Mathematical Software 1992, doi:10.1145/131766.131776
-- oracle:   mpmath
-- example:  beta_fraction(2, 3, 0.25, 0.75) = 1.208955223880597
-- note:     relative error below 1e-13 for x < (a + 1) / (a + b + 2); there it converges fast, in about sqrt(min(a,
--           b)) levels, and no level cancels
SELECT
    CASE
        WHEN ($a BETWEEN 1e-100 AND 1e100 AND $b BETWEEN 1e-100 AND 1e100 AND least($a, $b) <= 1e12
            AND $x BETWEEN 0e0 AND 1e0 AND $y > 0e0 AND $y <= 1e0) IS NOT TRUE THEN NULL
        ELSE list_reduce(
            list_prepend(1e0, CAST(range(CAST(100e0 + sqrt(least($a, $b)) AS BIGINT), -1, -1) AS DOUBLE[])),
            -- From the inside out: below, 1 at first, becomes f(i) + g(i + 1) / below.
            lambda below, i:
                i
                + CASE WHEN i = 0e0 THEN 0e0 ELSE i * ($b - i) * $x / ($a + 2e0 * i - 1e0) END
                + ($a + i) / ($a + 2e0 * i + 1e0) * ($a * $y - $b * $x + 1e0 + i * (2e0 - $x))
                + ($a + i) / ($a + 2e0 * i + 1e0) * (($a + $b + i) / ($a + 2e0 * i + 1e0))
                * (i + 1e0) * ($b - i - 1e0) * $x * $x / below)
    END AS value;
