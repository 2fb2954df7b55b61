-- name:     satterthwaite_df
-- title:    Degrees of freedom of the sum of two squared standard errors
-- params:   error DOUBLE CHECK (error BETWEEN 0 AND 1e140), df DOUBLE CHECK (df BETWEEN 1e-9 AND 1e300),
--           other_error DOUBLE CHECK (other_error BETWEEN 0 AND 1e140 AND error + other_error >= 1e-140),
--           other_df DOUBLE CHECK (other_df BETWEEN 1e-9 AND 1e300)
-- range:    [0, inf]
-- formula:  (error + other_error)^2 / (error^2 / df + other_error^2 / other_df), error = variance / n
-- source:   Satterthwaite, Biometrics Bulletin 1946, doi:10.2307/3002019
-- oracle:   exact fractions
-- example:  satterthwaite_df(0.04, 9, 0.01, 24) = 13.740458015267176
-- note:     relative error below 1e-14
SELECT
    CASE
        WHEN ($error BETWEEN 0e0 AND 1e140 AND $df BETWEEN 1e-9 AND 1e300 AND $other_error BETWEEN 0e0 AND 1e140
            AND $error + $other_error >= 1e-140 AND $other_df BETWEEN 1e-9 AND 1e300) IS NOT TRUE THEN NULL
        ELSE power($error + $other_error, 2e0)
            / (power($error, 2e0) / $df + power($other_error, 2e0) / $other_df)
    END AS value;
