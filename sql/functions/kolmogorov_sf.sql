-- name:     kolmogorov_sf
-- macro:    kolmogorov_sf
-- title:    Survival function of the Kolmogorov distribution
-- params:   x DOUBLE
-- range:    [0, 1]
-- formula:  2 * sum over i >= 1 of (-1)^(i-1) exp(-2 i^2 x^2), the limit of P(sqrt(n) * D >= x)
-- source:   Kolmogorov, Giornale dell'Istituto Italiano degli Attuari 1933; Feller, Annals of
--           Mathematical Statistics 1948, doi:10.1214/aoms/1177730243
-- oracle:   scipy.special.kolmogorov
-- example:  kolmogorov_sf(1.36) = 0.04948587675537788
-- note:     relative error below 1e-12 down to 1e-300; of two samples x = D * sqrt(n1 * n2 / (n1 + n2))
SELECT
    CASE
        WHEN (NOT isnan($x)) IS NOT TRUE THEN NULL
        WHEN $x < 0.04e0 THEN 1e0
        -- The same function by Jacobi's theta formula, which converges fast where the sum above does not.
        WHEN $x < 0.82e0 THEN 1e0 - sqrt(2e0 * pi()) / $x * list_sum(list_transform(range(1, 14, 2),
            lambda i: exp(-i * i * pi() * pi() / (8e0 * $x * $x))))
        ELSE 2e0 * list_sum(list_transform(range(1, 12),
            lambda i: CASE i % 2 WHEN 1 THEN 1e0 ELSE -1e0 END * exp(-2e0 * i * i * $x * $x)))
    END AS value;
