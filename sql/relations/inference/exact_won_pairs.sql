-- name:     exact_won_pairs
-- title:    Exact p of the number of won pairs, of at most 30 values without ties
-- inputs:   observations (arm, value)
-- switches: control VARCHAR, exact BOOLEAN DEFAULT FALSE
-- values:   exact: as in statistics/mann_whitney
-- portable: no, tests are computed in DuckDB
-- grain:    arm
-- formula:  the characteristic function of u, centered, is the product of j / (c + j) * sin((c + j) t / 2) /
--           sin(j t / 2) for j = 1 to n; its values at t = 2 pi (k + shift) / (c n + 1) give the share of all orders
-- source:   Mann and Whitney, Annals of Mathematical Statistics 1947, doi:10.1214/aoms/1177730491; inversion: Feller,
--           An Introduction to Probability Theory and Its Applications, volume 2, 1971, chapter XV
-- note:     the shift keeps every sine away from 0. The share is a whole number of orders, so that rounding removes
--           the error of the inversion
WITH small AS (
    SELECT
        arm,
        CAST(floor(least(n, n_control)) AS BIGINT) AS n,
        CAST(floor(greatest(n, n_control)) AS BIGINT) AS n_other,
        CAST(floor(n * n_control) AS BIGINT) + 1 AS turns,
        CAST(floor(abs(2 * u - n_control * n)) AS BIGINT) - 1 AS width
    FROM won_pairs
    WHERE $exact AND total <= 30 AND alikeness = 0
),
angles AS (
    SELECT arm, n, n_other, turns, width, pi() * (place + 0.3819660112501051e0) / turns AS angle
    FROM small
    JOIN range(0, 226) AS places(place) ON places.place < small.turns
),
quotients AS (
    SELECT
        angles.arm, angles.turns, angles.width, angles.angle,
        (angles.n_other + items.item) / CAST(items.item AS DOUBLE) AS orders,
        sin((angles.n_other + items.item) * angles.angle) / sin(items.item * angles.angle) AS wave
    FROM angles
    JOIN range(1, 16) AS items(item) ON items.item <= angles.n
),
multiplied AS (
    SELECT
        arm, turns, width, angle,
        exp(sum(ln(orders))) AS orders,
        exp(sum(ln(abs(wave)) - ln(orders))) * (1 - 2 * (count(*) FILTER (WHERE wave < 0) % 2)) AS wave
    FROM quotients
    GROUP BY arm, turns, width, angle
),
inverted AS (
    -- The share of the orders whose u is closer to its mean than the observed one.
    SELECT
        arm, width,
        floor(max(orders) + 0.5e0) AS orders,
        sum(wave * sin(width * angle) / sin(angle)) / turns AS closer
    FROM multiplied
    GROUP BY arm, width, turns
)
SELECT arm, CASE WHEN width < 1 THEN 1e0 ELSE floor((1 - closer) * orders + 0.5e0) / orders END AS p
FROM inverted;
