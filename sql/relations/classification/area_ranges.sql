-- name:     area_ranges
-- title:    Ranges of scores with the areas above them
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- grain:    system, segment, score_range
WITH sums AS (
    SELECT
        system, segment, score_range,
        max(won) AS won, max(stepped) AS stepped, max(upto) AS upto, max(place) AS places
    FROM ranged_areas
    GROUP BY system, segment, score_range
)
SELECT
    system, segment, score_range,
    coalesce(sum(won) OVER higher, 0) AS won_above,
    coalesce(sum(stepped) OVER higher, 0) AS stepped_above,
    coalesce(max(upto) OVER higher, 0) AS upto_above,
    coalesce(sum(places) OVER higher, 0) AS places_above,
    sum(places) OVER (PARTITION BY system, segment) AS places
FROM sums
WINDOW higher AS (
    PARTITION BY system, segment ORDER BY score_range DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
);
