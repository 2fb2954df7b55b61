-- name:     thresholds
-- title:    Distinct scores as thresholds, with the weight at or above them
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- params:   ranges INTEGER DEFAULT 1 CHECK (ranges > 0)
-- grain:    system, segment, group_id, score
-- note:     p and n are the totals, taken from the running sums so that the last recall is exactly 1; ranges > 1: the
--           scores are sorted within ranges, and the ranges follow each other, so that no worker of a cluster sorts
--           all scores
WITH cumulated AS (
    SELECT
        system, segment, group_id, score, positives, negatives,
        sum(positives) OVER (
            PARTITION BY system, segment, group_id ORDER BY score DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS tp,
        sum(negatives) OVER (
            PARTITION BY system, segment, group_id ORDER BY score DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS fp
    FROM score_groups
)
SELECT
    system, segment, group_id, score, positives, negatives, tp, fp,
    max(tp) OVER (PARTITION BY system, segment, group_id) AS p,
    max(fp) OVER (PARTITION BY system, segment, group_id) AS n
FROM cumulated
WHERE $ranges = 1
UNION ALL
SELECT
    ranged_scores.system, ranged_scores.segment, ranged_scores.group_id,
    ranged_scores.score, ranged_scores.positives, ranged_scores.negatives,
    score_ranges.tp_above + ranged_scores.tp AS tp,
    score_ranges.fp_above + ranged_scores.fp AS fp,
    score_ranges.p,
    score_ranges.n
FROM ranged_scores
JOIN score_ranges
    ON score_ranges.system = ranged_scores.system
    AND score_ranges.segment = ranged_scores.segment
    AND score_ranges.score_range = ranged_scores.score_range
WHERE $ranges > 1;
