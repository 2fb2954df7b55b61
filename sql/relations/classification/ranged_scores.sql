-- name:     ranged_scores
-- title:    Distinct scores, with the weight at or above them within their range of scores
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- params:   range_of INTEGER DEFAULT 0
-- grain:    system, segment, score
-- note:     range_of stands for an expression that grows with the score, the number of its range; clusters need it,
--           and any such expression gives the same numbers
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
