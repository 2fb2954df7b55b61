-- name:     incomplete_beta_xy
-- title:    Incomplete beta function, regularized, of x and 1 - x
-- params:   a DOUBLE CHECK (a BETWEEN 1e-100 AND 1e100),
--           b DOUBLE CHECK (b BETWEEN 1e-100 AND 1e100 AND least(a, b) <= 1e12),
--           x DOUBLE CHECK (x BETWEEN 0 AND 1), y DOUBLE CHECK (y BETWEEN 0 AND 1)
-- range:    [0, 1]
-- formula:  I_x(a, b), y = 1 - x
-- source:   Didonato and Morris, ACM Transactions on Mathematical Software 1992, doi:10.1145/131766.131776
-- oracle:   scipy.special.betainc
-- example:  incomplete_beta_xy(2, 3, 0.25, 0.75) = 0.26171875
-- note:     relative error below 1e-12 down to 1e-300 for a and b from 0.5 to 50000; both x and y are given, so that
--           neither loses digits if the other is near 1
SELECT
    CASE
        WHEN ($a BETWEEN 1e-100 AND 1e100 AND $b BETWEEN 1e-100 AND 1e100 AND least($a, $b) <= 1e12
            AND $x BETWEEN 0e0 AND 1e0 AND $y BETWEEN 0e0 AND 1e0) IS NOT TRUE THEN NULL
        WHEN $x = 0e0 THEN 0e0
        WHEN $y = 0e0 THEN 1e0
        -- I_x(a, b) = weight / fraction, or 1 - I_y(b, a), whichever converges faster.
        ELSE CASE WHEN $x < ($a + 1e0) / ($a + $b + 2e0) THEN 0e0 ELSE 1e0 END
            + beta_weight($a, $b, $x, $y) / CASE
                WHEN $x < ($a + 1e0) / ($a + $b + 2e0) THEN beta_fraction($a, $b, $x, $y)
                ELSE -beta_fraction($b, $a, $y, $x)
            END
    END AS value;
