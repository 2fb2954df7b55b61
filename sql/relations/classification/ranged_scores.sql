-- name:     ranged_scores
-- title:    Distinct scores with what is at or above them within their range of scores
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- params:   range_of INTEGER DEFAULT 0
-- grain:    system, segment, score
-- note:     range_of stands for an expression over the score that grows with it: the number of its range; it is
--           there for clusters, and any such expression leads to the same numbers
WITH placed AS (
    SELECT system, segment, group_id, score, positives, negatives, size, $range_of AS score_range
    FROM score_groups
)
SELECT
    system, segment, group_id, score, positives, negatives, size, score_range,
    sum(positives) OVER (
        PARTITION BY system, segment, score_range ORDER BY score DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS tp,
    sum(negatives) OVER (
        PARTITION BY system, segment, score_range ORDER BY score DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS fp,
    sum(size) OVER (
        PARTITION BY system, segment, score_range ORDER BY score DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS reached
FROM placed;
