-- name:     poisson_count
-- title:    Poisson count with mean 1, by inversion
-- params:   u DOUBLE CHECK (u > 0 AND u < 1)
-- range:    [0, 12]
-- formula:  the smallest k with P(X <= k) > u of a Poisson variable X with mean 1
-- source:   Devroye, Non-Uniform Random Variate Generation, 1986, doi:10.1007/978-1-4613-8643-8, X.3
-- oracle:   scipy.stats.poisson.ppf
-- example:  poisson_count(0.5) = 1
-- note:     relative error below 1e-15 for u up to 1 - 1e-9: a weight of the bootstrap; more than 11 is cut off
SELECT
    CASE
        WHEN ($u > 0e0 AND $u < 1e0) IS NOT TRUE THEN NULL
        WHEN $u < 0.36787944117144233e0 THEN 0e0
        WHEN $u < 0.7357588823428847e0 THEN 1e0
        WHEN $u < 0.9196986029286058e0 THEN 2e0
        WHEN $u < 0.9810118431238462e0 THEN 3e0
        WHEN $u < 0.9963401531726563e0 THEN 4e0
        WHEN $u < 0.9994058151824183e0 THEN 5e0
        WHEN $u < 0.9999167588507119e0 THEN 6e0
        WHEN $u < 0.9999897508033253e0 THEN 7e0
        WHEN $u < 0.999998874797402e0 THEN 8e0
        WHEN $u < 0.9999998885745217e0 THEN 9e0
        WHEN $u < 0.9999999899522336e0 THEN 10e0
        ELSE 11e0
    END AS value;
