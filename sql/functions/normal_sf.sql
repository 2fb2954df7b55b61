-- name:     normal_sf
-- title:    Normal survival function
-- params:   z DOUBLE
-- range:    [0, 1]
-- formula:  P(Z > z) of a standard normal Z = erfc(z / sqrt(2)) / 2
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.2.29
-- oracle:   scipy.stats.norm.sf
-- example:  normal_sf(5) = 2.866515718791939e-07
-- note:     relative error below 5e-13 down to 1e-300
SELECT 0.5e0 * erfc($z / sqrt(2e0)) AS value;
