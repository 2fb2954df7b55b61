-- name:     f_sf
-- macro:    f_sf
-- title:    Survival function of the F distribution
-- params:   f DOUBLE, df1 DOUBLE CHECK (df1 BETWEEN 1e-99 AND 1e99),
--           df2 DOUBLE CHECK (df2 BETWEEN 1e-99 AND 1e99 AND least(df1, df2) <= 1e12)
-- range:    [0, 1]
-- formula:  P(F >= f) = I_x(df2 / 2, df1 / 2), x = df2 / (df2 + df1 * f)
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.6.2
-- oracle:   scipy.stats.f.sf
-- example:  f_sf(3.2, 2, 27) = 0.05660222640850082
-- note:     relative error below 1e-12 down to 1e-300 for degrees of freedom from 1 to 100000
SELECT
    CASE
        WHEN ($df1 BETWEEN 1e-99 AND 1e99 AND $df2 BETWEEN 1e-99 AND 1e99 AND least($df1, $df2) <= 1e12
            AND NOT isnan($f)) IS NOT TRUE THEN NULL
        WHEN $f <= 0e0 THEN 1e0
        ELSE incomplete_beta_xy(
            0.5e0 * $df2,
            0.5e0 * $df1,
            1e0 / (1e0 + $df1 / $df2 * $f),
            1e0 / (1e0 + $df2 / $df1 / $f))
    END AS value;
