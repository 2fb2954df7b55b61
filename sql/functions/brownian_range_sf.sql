-- name:     brownian_range_sf
-- title:    Survival function of the range of a Brownian motion
-- params:   x DOUBLE
-- range:    [0, 1]
-- formula:  P(max B - min B >= x) of a standard Brownian motion B on [0, 1] = 4 * sum over k >= 1 of
--           (-1)^(k-1) k erfc(k x / sqrt(2))
-- source:   Feller, Annals of Mathematical Statistics 1951, doi:10.1214/aoms/1177729589
-- oracle:   the same function from another series, with 480 digits
-- example:  brownian_range_sf(3) = 0.010799168467638438
-- note:     relative error below 1e-12 down to 1e-300
SELECT
    CASE
        WHEN (NOT isnan($x)) IS NOT TRUE THEN NULL
        WHEN $x < 0.2e0 THEN 1e0
        -- The same function by Poisson's summation formula, which converges fast where the sum above does not.
        WHEN $x < 3e0 THEN list_transform([pi() * pi() / (2e0 * $x * $x)], lambda u:
            1e0 - 8e0 / (pi() * pi()) * (
                (2e0 * u + 1e0) * exp(-u)
                + (2e0 * u + 1e0 / 9e0) * exp(-9e0 * u)
                + (2e0 * u + 1e0 / 25e0) * exp(-25e0 * u)
                + (2e0 * u + 1e0 / 49e0) * exp(-49e0 * u)
                + (2e0 * u + 1e0 / 81e0) * exp(-81e0 * u)
            ))[1]
        ELSE 4e0 * (erfc($x / sqrt(2e0)) - 2e0 * erfc(2e0 * $x / sqrt(2e0)))
    END AS value;
