-- name:     thresholds
-- title:    Distinct scores as thresholds: what is at or above them
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- grain:    system, segment, group_id, score
-- note:     p and n are the totals, taken from the running sums so that the last recall is exactly 1
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
FROM cumulated;
