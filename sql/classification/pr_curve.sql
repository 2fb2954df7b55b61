-- name:     pr_curve
-- title:    Precision-recall curve: one point for every distinct score
-- meaning:  The curve shows the precision at each recall. Each threshold is one point.
-- use:      to choose a threshold when positives are rare
-- beware:   the whole curve moves with the base rate; straight lines between its points are too optimistic
-- reading:  precision 1: every row at or above the threshold is positive
--           precision = base rate: no better than random
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   points INTEGER DEFAULT NULL CHECK (points > 1)
-- values:   points: as in roc_curve
-- chart:    precision_recall (points = 80)
-- grain:    system, segment, threshold
-- formula:  precision = TP / (TP + FP) against recall = TP / P, with score >= threshold
-- source:   Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874
-- related:  average_precision, roc_curve, threshold_table, precision_at_recall
-- note:     area is the exact area in step form up to the point, so thinning the points does not change it;
--           in the last row it is the average precision. To be thinned, rows are taken that differ by 1 % in
--           their number, or by 0.1 % in recall, if there are more than 10,000
WITH near AS (
    SELECT
        system, segment, score, tp, fp, p, stepped, place, places,
        tp / nullif(tp + fp, 0) AS precision,
        tp / nullif(p, 0) AS recall
    FROM swept
    WHERE $points IS NULL OR places <= greatest($points, 10000) OR place = 1 OR place = places
        OR floor(1000 * tp / nullif(p, 0)) > floor(1000 * (tp - positives) / nullif(p, 0))
        OR floor(100 * ln(upto)) > floor(100 * ln(nullif(before, 0)))
),
stepwise AS (
    SELECT
        system, segment, score, tp, fp, p, stepped, place, places, precision, recall,
        CASE WHEN $points IS NOT NULL THEN
            coalesce(abs(recall - lag(recall) OVER (PARTITION BY system, segment ORDER BY place)), 0)
            + coalesce(abs(precision - lag(precision) OVER (PARTITION BY system, segment ORDER BY place)), 0)
        END AS step
    FROM near
),
walked AS (
    SELECT
        system, segment, score, tp, fp, p, stepped, place, places, precision, recall, step,
        CASE WHEN $points IS NOT NULL THEN sum(step) OVER (
            PARTITION BY system, segment ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) END AS length,
        CASE WHEN $points IS NOT NULL THEN sum(step) OVER (PARTITION BY system, segment) END AS total
    FROM stepwise
)
SELECT
    system,
    segment,
    score AS threshold,
    tp,
    fp,
    precision,
    recall,
    stepped / nullif(p, 0) AS area
FROM walked
WHERE $points IS NULL OR places <= $points OR place = 1 OR place = places
    OR floor(length * ($points - 2) / nullif(total, 0) + 1e-9) > floor(
        (length - step) * ($points - 2) / nullif(total, 0) + 1e-9
    )
ORDER BY system, segment, threshold DESC;
