-- name:     normal_p
-- title:    Two-sided p-value of a normal statistic
-- params:   z DOUBLE
-- range:    [0, 1]
-- formula:  P(abs(Z) >= abs(z)) of a standard normal Z = erfc(abs(z) / sqrt(2))
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.2.29
-- oracle:   2 * scipy.stats.norm.sf(abs(z))
-- example:  normal_p(1.96) = 0.04999579029644087
-- note:     relative error below 5e-13 down to 1e-300
SELECT erfc(abs($z) / sqrt(2e0)) AS value;
