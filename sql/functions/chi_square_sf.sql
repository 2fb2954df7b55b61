-- name:     chi_square_sf
-- macro:    chi_square_sf, chi_square_p
-- title:    Survival function of the chi-square distribution
-- params:   x DOUBLE, df DOUBLE CHECK (df BETWEEN 2e-100 AND 2e10)
-- range:    [0, 1]
-- formula:  P(X >= x) = Q(df / 2, x / 2)
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.4.19
-- oracle:   scipy.stats.chi2.sf
-- example:  chi_square_sf(1.6, 1) = 0.2059032107320683
-- note:     relative error below 1e-12 down to 1e-300 for df from 1 to 100000
SELECT
    CASE
        WHEN $x < 0e0 AND $df BETWEEN 2e-100 AND 2e10 THEN 1e0
        ELSE incomplete_gamma_q(0.5e0 * $df, 0.5e0 * $x)
    END AS value;
