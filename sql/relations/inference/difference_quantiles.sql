-- name:     difference_quantiles
-- title:    Quantiles of the differences from the baseline, from the largest loss to the largest gain
-- inputs:   per_query (system, metric, query_id, value)
-- params:   points INTEGER DEFAULT 101 CHECK (points > 1)
-- switches: baseline VARCHAR
-- grain:    system, metric, place
-- note:     a point is the difference of one unit, at most `points` of them at equal distances; the first and the last
--           are the smallest and the largest difference; share is the share of the other units before it
WITH placed AS (
    SELECT
        system,
        metric,
        difference,
        row_number() OVER (PARTITION BY system, metric ORDER BY difference, query_id) - 1 AS place,
        count(*) OVER (PARTITION BY system, metric) AS n
    FROM differences
),
spaced AS (
    SELECT
        system, metric, difference, place, n,
        -- The number of steps before a place grows by 1 where a point is due.
        floor(CAST(place * (least($points, n) - 1) AS DOUBLE) / greatest(n - 1, 1)) AS step,
        floor(CAST((place - 1) * (least($points, n) - 1) AS DOUBLE) / greatest(n - 1, 1)) AS step_before
    FROM placed
)
SELECT
    system,
    metric,
    place,
    CAST(place AS DOUBLE) / greatest(n - 1, 1) AS share,
    difference,
    n
FROM spaced
WHERE place = 0 OR step > step_before
ORDER BY system, metric, place;
