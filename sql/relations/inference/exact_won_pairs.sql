-- name:     exact_won_pairs
-- title:    Exact p of the number of won pairs, of few values
-- inputs:   observations (arm, value)
-- switches: control VARCHAR, exact BOOLEAN DEFAULT NULL
-- values:   exact: as in statistics/mann_whitney
-- portable: no, tests are computed in DuckDB
-- grain:    arm
-- formula:  the share of the choices of the smaller sample among all values whose sum of midranks is at least as far
--           from its mean as the observed one: with t values, the value of rank r is the last one of i / t of the
--           choices of i values
-- source:   Mann and Whitney, Annals of Mathematical Statistics 1947, doi:10.1214/aoms/1177730491
-- note:     ties share their midrank. Only probabilities are added, so that a small p has a small relative error. The
--           upper end is the lower end of the ranks in reverse
WITH few AS (
    SELECT
        arm,
        CAST(total AS BIGINT) AS total,
        CAST(least(n, n_control) AS BIGINT) AS n,
        round(exp(lgamma(total + 1) - lgamma(n + 1) - lgamma(n_control + 1))) AS orders,
        CAST(n_control * n - abs(2 * u - n_control * n) AS BIGINT) AS doubled_u
    FROM won_pairs
    WHERE coalesce($exact, TRUE) AND total <= CASE WHEN $exact THEN 60 ELSE 30 END
),
ranked AS (
    SELECT
        few.arm, few.total, few.n, few.orders, few.doubled_u,
        2 * rank() OVER (PARTITION BY few.arm ORDER BY observations.value)
            + count(*) OVER (PARTITION BY few.arm, observations.value) - 1 AS doubled
    FROM few
    JOIN observations ON CAST(observations.arm AS VARCHAR) = $control OR observations.arm = few.arm
    WHERE observations.value IS NOT NULL
),
ends AS (
    -- Without ties all doubled ranks are even.
    SELECT
        ranked.arm, ranked.n, ranked.orders,
        (ranked.doubled_u + ranked.n * (ranked.n + 1))
            // CASE WHEN count(*) FILTER (WHERE ranked.doubled % 2 = 1) > 0 THEN 1 ELSE 2 END + 1 AS width,
        array_agg(CASE WHEN sides.is_lower THEN ranked.doubled ELSE 2 * (ranked.total + 1) - ranked.doubled END)
            AS ranks,
        CASE WHEN count(*) FILTER (WHERE ranked.doubled % 2 = 1) > 0 THEN 1 ELSE 2 END AS unit
    FROM ranked
    CROSS JOIN (VALUES (TRUE), (FALSE)) AS sides(is_lower)
    GROUP BY ranked.arm, ranked.n, ranked.orders, ranked.doubled_u, sides.is_lower
),
shares AS (
    -- Shares of the choices of i values by their sum s, at i * width + s: one list for every value.
    SELECT
        arm, orders,
        list_sum(list_slice(list_reduce(
            list_prepend(
                list_transform(range(0, (n + 1) * width), lambda place: CASE WHEN place = 0 THEN 1e0 ELSE 0e0 END),
                list_transform(ranks, lambda rank, t: [CAST(rank // unit AS DOUBLE), CAST(t AS DOUBLE)])),
            lambda reached, value: list_transform(range(0, (n + 1) * width), lambda place:
                reached[place + 1] * greatest(1 - (place // width) / value[2], 0e0)
                + CASE WHEN place // width > 0 AND place % width >= value[1]
                    THEN reached[place + 1 - width - CAST(value[1] AS BIGINT)] * (place // width) / value[2]
                    ELSE 0e0 END)
        ), n * width + 1, (n + 1) * width)) AS share
    FROM ends
)
-- A whole number of orders has no error of rounding.
SELECT
    arm,
    least(CASE WHEN orders < 1e9 THEN round(sum(share) * orders) / orders ELSE sum(share) END, 1e0) AS p
FROM shares
GROUP BY arm, orders;
