-- name:     deviations
-- title:    Extremes of the summed differences of label and probability, from the lowest probability on
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    system, segment, score_range
-- note:     a sum starts at 0, which is one of its extremes. total and variance are the last of running sums, so the
--           order of the rows changes nothing; before and total_before are the sums of the lower ranges
WITH extremes AS (
    SELECT
        system, segment, score_range,
        max(total) AS total, max(variance) AS variance, sum(deviation) AS deviation,
        greatest(max(deviated), 0e0) AS highest, least(min(deviated), 0e0) AS lowest
    FROM deviation_steps
    GROUP BY system, segment, score_range
),
below AS (
    SELECT
        system, segment, score_range, total, variance, highest, lowest,
        coalesce(sum(deviation) OVER lower_ranges, 0) AS before,
        coalesce(sum(total) OVER lower_ranges, 0) AS total_before
    FROM extremes
    WINDOW lower_ranges AS (
        PARTITION BY system, segment ORDER BY score_range ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
)
SELECT
    system, segment, score_range, total, total_before, variance, before,
    before + highest AS highest,
    before + lowest AS lowest
FROM below;
