-- name:     always_valid_critical
-- title:    Half width of an always-valid interval, in standard errors
-- params:   alpha DOUBLE CHECK (alpha > 0 AND alpha < 1), df DOUBLE CHECK (df BETWEEN 0.001 AND 1e15),
--           n DOUBLE CHECK (n BETWEEN 1 AND 1e15), planned DOUBLE CHECK (planned BETWEEN 1 AND 1e15)
-- range:    [0, inf]
-- formula:  the t >= 0 with always_valid_p(t, df, n, planned) = alpha: t^2 = df * (g - 1) / (1 - g / c), g = (c /
--           alpha^2)^(1 / (df + 1)), c = 1 + n / prior_units(planned); infinite if g >= c
-- source:   Lindon, Ham, Tingley and Bojinov, 2022, arXiv:2210.08589; for large df: Waudby-Smith, Arbour, Sinha,
--           Kennedy and Ramdas, Annals of Statistics 2024, doi:10.1214/24-AOS2408
-- oracle:   the inverse of always_valid_p
-- example:  always_valid_critical(0.05, 99, 100, 1000) = 4.038768451579307
-- note:     relative error below 1e-12; infinite means that so few units exclude no difference
SELECT
    CASE
        WHEN ($alpha > 0e0 AND $alpha < 1e0 AND $df BETWEEN 1e-3 AND 1e15 AND $n BETWEEN 1e0 AND 1e15
            AND $planned BETWEEN 1e0 AND 1e15) IS NOT TRUE THEN NULL
        -- The lists name x = c - 1, ln g and g - 1: DuckDB repeats the arguments of a function. The sinh keeps all
        -- digits of g - 1.
        ELSE list_transform([$n / prior_units($planned)], lambda x:
            list_transform([(log1p(x) - 2e0 * ln($alpha)) / ($df + 1e0)], lambda log_g: CASE
                WHEN log_g >= log1p(x) THEN CAST('inf' AS DOUBLE)
                ELSE list_transform([2e0 * exp(0.5e0 * log_g) * sinh(0.5e0 * log_g)], lambda d:
                    sqrt($df * d * (1e0 + x) / (x - d)))[1]
            END)[1])[1]
    END AS value;
