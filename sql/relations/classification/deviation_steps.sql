-- name:     deviation_steps
-- title:    Distinct probabilities, with the sums of label minus probability from the lowest probability on
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   ranges INTEGER DEFAULT 1 CHECK (ranges > 0), range_of INTEGER DEFAULT 0
-- grain:    system, segment, score
-- note:     rows of equal probability are one step, so the order of the rows changes nothing. The sums begin in each
--           range; ranges as in thresholds, range_of as in ranged_scores
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
)
SELECT
    system, segment, score_range, score, deviation,
    sum(total) OVER upto AS total,
    sum(deviation) OVER upto AS deviated,
    sum(variance) OVER upto AS variance
FROM placed
WINDOW upto AS (
    PARTITION BY system, segment, score_range ORDER BY score ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
);
