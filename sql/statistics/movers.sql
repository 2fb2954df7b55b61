-- name:     movers
-- title:    Units, such as queries, that gain and lose most against a baseline
-- inputs:   per_query (system, metric, query_id, value)
-- params:   baseline VARCHAR, n INTEGER DEFAULT 20 CHECK (n > 0)
-- values:   n: the number of gains, and of losses, per system and metric
-- grain:    one row per system, metric, direction and place: system, metric, direction, place, query_id,
--           baseline_value, value, difference
-- range:    (-inf, inf)
-- formula:  difference = value - baseline_value; the n largest are gains, the n smallest are losses
-- source:   as the plots of differences per topic in Voorhees and Harman, TREC, MIT Press, 2005
-- oracle:   sorted lists
-- example:  movers(VALUES ('A', 'm', 1, 0.5), ('A', 'm', 2, 0.5), ('B', 'm', 1, 1), ('B', 'm', 2, 0.25); baseline
--           := 'A') = 'B', 'm', 'gain', 1, 1, 0.5, 1, 0.5; 'B', 'm', 'loss', 1, 2, 0.5, 0.25, -0.25
-- note:     differences of up to 1e-12 of the mean size of the values are ties and no
--           movers; equal differences are ordered by query_id
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
