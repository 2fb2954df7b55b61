-- name:     exact_won_pairs
-- title:    Exact p of the number of won pairs, of few pairs
-- inputs:   observations (arm, value)
-- switches: control VARCHAR, exact BOOLEAN DEFAULT NULL
-- values:   exact: as in statistics/mann_whitney
-- portable: no, tests are computed in DuckDB
-- grain:    arm
-- formula:  the share of the choices of the smaller sample among all values whose sum of midranks is at least as far
--           from its mean as the observed one. A choice has i values of the lower half of all values, and the others
--           of the upper half
-- source:   Mann and Whitney, Annals of Mathematical Statistics 1947, doi:10.1214/aoms/1177730491
-- note:     ties share their midrank. Only numbers of choices are added, so that a small p has a small relative error
WITH upper_half AS (
    SELECT
        arm, i, unit, smallest, place, sum(number) OVER (PARTITION BY arm, i ORDER BY place) AS to_here,
        sum(number) OVER (PARTITION BY arm, i ORDER BY place DESC) AS from_here
    FROM (
        SELECT arm, i, unit, smallest, unnest(ways) AS number, unnest(range(0, length(ways))) AS place
        FROM rank_choices
        WHERE NOT is_lower
    )
),
ends AS (
    SELECT
        arm, i, unit, smallest, array_agg(to_here ORDER BY place) AS to_here,
        array_agg(from_here ORDER BY place) AS from_here
    FROM upper_half
    GROUP BY arm, i, unit, smallest
),
pairs AS (
    -- Sums of the upper half that make a sum of both halves extreme, above the smallest one: at most, or at least.
    SELECT
        lower_half.arm, lower_half.orders, lower_half.unit, lower_half.ways,
        ends.unit AS upper_unit, ends.to_here, ends.from_here,
        n * (total + 1) - gap - lower_half.smallest - ends.smallest AS at_most,
        n * (total + 1) + gap - lower_half.smallest - ends.smallest AS at_least
    FROM rank_choices AS lower_half
    JOIN ends ON ends.arm = lower_half.arm AND ends.i = lower_half.n - lower_half.i
    WHERE lower_half.is_lower
),
counted AS (
    SELECT
        arm, orders,
        list_sum(list_transform(ways, lambda number, place: number * CASE WHEN at_most >= unit * (place - 1) THEN
            to_here[least((at_most - unit * (place - 1)) // upper_unit + 1, length(to_here))] ELSE 0e0 END)) AS low,
        list_sum(list_transform(ways, lambda number, place: number * coalesce(from_here[
            greatest((at_least - unit * (place - 1) + upper_unit - 1) // upper_unit + 1, 1)], 0e0))) AS high
    FROM pairs
)
SELECT arm, least(sum(low + high) / orders, 1e0) AS p
FROM counted
GROUP BY arm, orders;
