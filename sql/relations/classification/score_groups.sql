-- name:     score_groups
-- title:    Distinct scores, with the weight of the positives and negatives that have them
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- params:   approx INTEGER DEFAULT NULL CHECK (approx > 1)
-- values:   approx: the number of bins of the scores; by default none
-- grain:    system, segment, group_id, score
-- note:     approx puts the scores into bins of equal width, infinite ones into the first and the last;
--           halves keep the differences of huge scores finite
WITH extent AS (
    SELECT system, segment, min(score) AS low, max(score) AS high
    FROM labeled
    WHERE isfinite(score)
    GROUP BY system, segment
),
binned AS (
    SELECT
        labeled.system,
        labeled.segment,
        labeled.group_id,
        labeled.label,
        labeled.weight,
        CASE
            WHEN labeled.score < coalesce(extent.low, 0) THEN 0
            WHEN labeled.score > coalesce(extent.high, 0) THEN $approx - 1
            WHEN extent.low = extent.high THEN 0
            ELSE least(
                floor((labeled.score / 2 - extent.low / 2) / (extent.high / 2 - extent.low / 2) * $approx),
                $approx - 1
            )
        END AS score
    FROM labeled
    LEFT JOIN extent ON extent.system = labeled.system AND extent.segment = labeled.segment
)
SELECT
    system, segment, group_id, score,
    sum(weight * label) AS positives,
    sum(weight * (1 - label)) AS negatives,
    CAST(count(*) AS DOUBLE) AS size
FROM labeled
WHERE $approx IS NULL
GROUP BY system, segment, group_id, score
UNION ALL
SELECT
    system, segment, group_id, score,
    sum(weight * label) AS positives,
    sum(weight * (1 - label)) AS negatives,
    CAST(count(*) AS DOUBLE) AS size
FROM binned
WHERE $approx IS NOT NULL
GROUP BY system, segment, group_id, score;
