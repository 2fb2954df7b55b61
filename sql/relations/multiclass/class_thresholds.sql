-- name:     class_thresholds
-- title:    The distinct scores of each class as thresholds, with the weight at or above them
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- params:   average VARCHAR DEFAULT 'macro' CHECK (average IN ('macro', 'weighted', 'micro'))
-- values:   average=macro: every class counts the same
--           average=weighted: a class counts by the number of its rows
--           average=micro: the classes of all rows count together, as if they were of one class
-- grain:    system, segment, class, score
WITH scores AS (
    SELECT
        system,
        segment,
        CASE $average WHEN 'micro' THEN '' ELSE class END AS class,
        score,
        sum(weight * label) AS positives,
        sum(weight * (1 - label)) AS negatives
    FROM classified
    GROUP BY system, segment, CASE $average WHEN 'micro' THEN '' ELSE class END, score
),
cumulated AS (
    SELECT
        system, segment, class, score, positives, negatives,
        sum(positives) OVER (
            PARTITION BY system, segment, class ORDER BY score DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS tp,
        sum(negatives) OVER (
            PARTITION BY system, segment, class ORDER BY score DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS fp
    FROM scores
)
SELECT
    system, segment, class, score, positives, negatives, tp, fp,
    max(tp) OVER (PARTITION BY system, segment, class) AS p,
    max(fp) OVER (PARTITION BY system, segment, class) AS n
FROM cumulated;
