-- name:     deviations
-- title:    Extremes of the summed differences of label and probability, from the lowest probability on
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   ranges INTEGER DEFAULT 1 CHECK (ranges > 0), range_of INTEGER DEFAULT 0
-- grain:    system, segment, score_range
-- note:     rows of equal probability are one step, so the order of the rows changes nothing. A sum starts at 0, which
--           is one of its extremes. total and variance are the last of running sums for the same reason; ranges as in
--           thresholds, range_of as in ranged_scores
WITH steps AS (
    SELECT
        system, segment, p AS score,
        sum(weight) AS total,
        sum(weight * label) - p * sum(weight) AS deviation,
        p * (1 - p) * sum(weight * weight) AS variance
    FROM probabilities
    GROUP BY system, segment, p
),
placed AS (
    SELECT
        system, segment, score, total, deviation, variance,
        CASE WHEN $ranges > 1 THEN $range_of ELSE 0 END AS score_range
    FROM steps
),
summed AS (
    SELECT
        system, segment, score_range, deviation,
        sum(total) OVER upto AS total,
        sum(deviation) OVER upto AS deviated,
        sum(variance) OVER upto AS variance
    FROM placed
    WINDOW upto AS (
        PARTITION BY system, segment, score_range ORDER BY score ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    )
),
extremes AS (
    SELECT
        system, segment, score_range,
        max(total) AS total, max(variance) AS variance, sum(deviation) AS deviation,
        greatest(max(deviated), 0e0) AS highest, least(min(deviated), 0e0) AS lowest
    FROM summed
    GROUP BY system, segment, score_range
),
below AS (
    SELECT
        system, segment, score_range, total, variance, highest, lowest,
        coalesce(sum(deviation) OVER (
            PARTITION BY system, segment ORDER BY score_range ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS before
    FROM extremes
)
SELECT system, segment, score_range, total, variance, before + highest AS highest, before + lowest AS lowest
FROM below;
