-- name:     normal_cdf
-- title:    Normal distribution function
-- params:   z DOUBLE
-- range:    [0, 1]
-- formula:  P(Z <= z) of a standard normal Z = erfc(-z / sqrt(2)) / 2
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.2.29
-- oracle:   scipy.stats.norm.cdf
-- example:  normal_cdf(-1.96) = 0.024997895148220435
-- note:     relative error below 5e-13 down to 1e-300
SELECT 0.5e0 * erfc(-$z / sqrt(2e0)) AS value;
