-- name:     movers
-- title:    Units, such as queries, that gain and lose most against a baseline
-- meaning:  The table lists the queries whose values differ most between a baseline and a system. It shows where the
--           system is better and where it is worse.
-- use:      to find examples of a difference between two systems, and regressions that the mean hides
-- beware:   the list shows extremes, which do not represent the typical query
-- reading:  difference > 0: the value of the query is higher than with the baseline
--           difference < 0: the value of the query is lower than with the baseline
-- inputs:   per_query (system, metric, query_id, value)
-- params:   baseline VARCHAR, n INTEGER DEFAULT 20 CHECK (n > 0)
-- values:   n: the number of gains, and of losses, per system and metric
-- grain:    one row per system, metric, direction and place: system, metric, direction, place, query_id,
--           baseline_value, value, difference
-- range:    (-inf, inf)
-- formula:  difference = value - baseline_value; the n largest are gains, the n smallest are losses
-- tex:      d_q = x_q - b_q
-- symbols:  d_q: the difference in query q
--           x_q: the value of the system in query q
--           b_q: the value of the baseline in query q
-- source:   as the plots of differences per topic in Voorhees and Harman, TREC, MIT Press, 2005
-- oracle:   sorted lists
-- example:  movers(VALUES ('A', 'm', 1, 0.5), ('A', 'm', 2, 0.5), ('B', 'm', 1, 1), ('B', 'm', 2, 0.25); baseline
--           := 'A') = 'B', 'm', 'gain', 1, 1, 0.5, 1, 0.5; 'B', 'm', 'loss', 1, 2, 0.5, 0.25, -0.25
-- related:  paired_t, sign_test
-- note:     differences of up to 1e-12 of the mean size of the values are ties and not listed; equal differences are
--           ordered by query_id
WITH moved AS (
    SELECT
        system,
        metric,
        CASE WHEN difference > 0 THEN 'gain' ELSE 'loss' END AS direction,
        query_id,
        baseline_value,
        value,
        difference
    FROM differences
    WHERE abs(difference) > rounding
),
placed AS (
    SELECT
        system,
        metric,
        direction,
        row_number() OVER (PARTITION BY system, metric, direction ORDER BY abs(difference) DESC, query_id) AS place,
        query_id,
        baseline_value,
        value,
        difference
    FROM moved
)
SELECT system, metric, direction, place, query_id, baseline_value, value, difference
FROM placed
WHERE place <= $n
ORDER BY system, metric, direction, place;
