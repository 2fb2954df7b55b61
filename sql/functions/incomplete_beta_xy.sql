-- name:     incomplete_beta_xy
-- title:    Incomplete beta function, regularized, of x and 1 - x
-- params:   a DOUBLE CHECK (a > 0), b DOUBLE CHECK (b > 0), x DOUBLE CHECK (x >= 0), y DOUBLE CHECK (y >= 0)
-- range:    [0, 1]
-- formula:  I_x(a, b), y = 1 - x
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.5.8
-- oracle:   scipy.special.betainc
-- example:  incomplete_beta_xy(2, 3, 0.25, 0.75) = 0.26171875
-- note:     both x and y are given, so that neither is lost where the other is near 1; min(a, b) up to 1e12
SELECT
    CASE
        WHEN ($a > 0e0 AND $b > 0e0 AND $x >= 0e0 AND $y >= 0e0) IS NOT TRUE THEN NULL
        WHEN isnan($a + $b + $x + $y) OR least($a, $b) > 1e12 THEN NULL
        WHEN $x = 0e0 THEN 0e0
        WHEN $y = 0e0 THEN 1e0
        WHEN $x < ($a + 1e0) / ($a + $b + 2e0) THEN beta_weight($a, $b, $x, $y) / $a * beta_fraction($a, $b, $x)
        ELSE 1e0 - beta_weight($b, $a, $y, $x) / $b * beta_fraction($b, $a, $y)
    END AS value;
