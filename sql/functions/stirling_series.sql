-- name:     stirling_series
-- title:    Stirling's series
-- params:   x DOUBLE CHECK (x >= 16)
-- range:    [0, 0.01]
-- formula:  1/(12 x) - 1/(360 x^3) + 1/(1260 x^5) - 1/(1680 x^7) + 1/(1188 x^9)
-- source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 6.1.41
-- oracle:   mpmath
-- example:  stirling_series(16) = 0.0052076559196096404
-- note:     absolute error below 2e-16, NULL if x < 16: a step of stirling_error
SELECT
    CASE
        WHEN ($x >= 16e0 AND NOT isnan($x)) IS NOT TRUE THEN NULL
        ELSE (1e0 / 12e0
            - (1e0 / 360e0
                - (1e0 / 1260e0
                    - (1e0 / 1680e0
                        - 1e0 / 1188e0 / $x / $x) / $x / $x) / $x / $x) / $x / $x) / $x
    END AS value;
