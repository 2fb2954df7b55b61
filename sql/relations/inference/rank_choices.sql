-- name:     rank_choices
-- title:    Numbers of choices of values from the lower and the upper half of few values, by their sum of ranks
-- inputs:   observations (arm, value)
-- switches: control VARCHAR, exact BOOLEAN DEFAULT NULL
-- values:   exact: as in statistics/mann_whitney
-- portable: no, tests are computed in DuckDB
-- grain:    arm, is_lower, i
-- formula:  ways[s + 1] = number of choices of i values of the half whose doubled midranks add up to smallest + s unit;
--           a choice has the value of rank r, or has it not
-- source:   Mann and Whitney, Annals of Mathematical Statistics 1947, doi:10.1214/aoms/1177730491
-- note:     the time grows with (n * n_control)^2, so the number of pairs has a limit. n is the size of the smaller
--           sample, total the number of all values, orders the number of choices from all of them, and gap twice the
--           distance of u from its mean
WITH few AS (
    SELECT
        arm,
        CAST(total AS BIGINT) AS total,
        CAST(least(n, n_control) AS BIGINT) AS n,
        round(exp(lgamma(total + 1) - lgamma(n + 1) - lgamma(n_control + 1))) AS orders,
        CAST(abs(2 * u - n_control * n) AS BIGINT) AS gap
    FROM won_pairs
    WHERE coalesce($exact, TRUE) AND total <= 1000 AND n * n_control <= CASE WHEN $exact THEN 40000 ELSE 10000 END
),
ranked AS (
    SELECT
        few.arm, few.n,
        2 * rank() OVER (PARTITION BY few.arm ORDER BY observations.value)
            + count(*) OVER (PARTITION BY few.arm, observations.value) - 1 AS doubled,
        row_number() OVER (PARTITION BY few.arm ORDER BY observations.value) <= few.total // 2 AS is_lower
    FROM few
    JOIN observations ON CAST(observations.arm AS VARCHAR) = $control OR observations.arm = few.arm
    WHERE observations.value IS NOT NULL
),
steps AS (
    -- Sums of equally many ranks differ by multiples of a unit: without ties all doubled ranks are even.
    SELECT
        arm, n, is_lower, ranks,
        greatest(list_reduce(list_transform(ranks, lambda r: r - ranks[1]), lambda r, s: gcd(r, s)), 1) AS unit
    FROM (
        SELECT arm, n, is_lower, array_agg(doubled ORDER BY doubled) AS ranks
        FROM ranked
        GROUP BY arm, n, is_lower
    )
),
shapes AS (
    SELECT DISTINCT n, list_transform(ranks, lambda rank: (rank - ranks[1]) // unit) AS steps
    FROM steps
),
chosen AS (
    -- Numbers of choices of i = 0, 1, ... n values of a half, by their sum of ranks above the smallest such sum: one
    -- list of lists for every value. The choices with the value of rank r had the i-th smallest rank before.
    SELECT
        n, steps,
        list_reduce(
            list_prepend([[1e0]], list_transform(steps, lambda step: [[CAST(step AS DOUBLE)]])),
            lambda reached, step: list_transform(
                range(1, least(length(reached), n) + 2),
                lambda place: list_transform(
                    list_zip(reached[place], CASE WHEN place > 1 THEN list_concat(
                        list_resize(CAST([] AS DOUBLE[]), CAST(step[1][1] AS BIGINT) - steps[place - 1], 0e0),
                        reached[place - 1]) END),
                    lambda pair: coalesce(pair[1], 0e0) + coalesce(pair[2], 0e0)))) AS ways
    FROM shapes
)
SELECT
    few.arm, few.n, few.total, few.orders, few.gap, steps.is_lower, steps.unit, listed.i, listed.ways,
    CAST(coalesce(list_sum(steps.ranks[1:listed.i]), 0) AS BIGINT) AS smallest
FROM few
JOIN steps ON steps.arm = few.arm
JOIN (SELECT n, steps, unnest(range(0, length(ways))) AS i, unnest(ways) AS ways FROM chosen) AS listed
    ON listed.n = steps.n
    AND listed.steps = list_transform(steps.ranks, lambda rank: (rank - steps.ranks[1]) // steps.unit);
