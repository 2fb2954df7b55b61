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
--           in the last row it is the average precision
SELECT
    system,
    segment,
    score AS threshold,
    tp,
    fp,
    tp / nullif(tp + fp, 0) AS precision,
    tp / nullif(p, 0) AS recall,
    stepped / nullif(p, 0) AS area
FROM swept
WHERE $points IS NULL OR place = 1
    OR floor((place - 1) * ($points - 1) / CAST(places - 1 AS DOUBLE))
        > floor((place - 2) * ($points - 1) / CAST(places - 1 AS DOUBLE))
ORDER BY system, segment, threshold DESC;
