-- name:     incomplete_beta
-- title:    Incomplete beta function, regularized
-- params:   a DOUBLE CHECK (a > 0), b DOUBLE CHECK (b > 0), x DOUBLE CHECK (x >= 0 AND x <= 1)
-- range:    [0, 1]
-- formula:  I_x(a, b) = integral of t^(a-1) (1-t)^(b-1) from 0 to x / B(a, b)
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.5.8
-- oracle:   scipy.special.betainc
-- example:  incomplete_beta(2, 3, 0.25) = 0.26171875
-- note:     relative error below 1e-12 down to 1e-300 for a and b from 0.5 to 50000
SELECT incomplete_beta_xy($a, $b, $x, 1e0 - $x) AS value;
