-- name:     roc_curve
-- title:    ROC curve: true and false positive rate at every score
-- meaning:  The curve shows the share of the positives that are found at each share of false alarms. Each threshold
--           is one point.
-- use:      to choose a threshold, or to see where two models differ
-- beware:   if positives are rare, a small false positive rate can still mean more false alarms than hits; look at
--           pr_curve, too
-- reading:  TPR = FPR: no better than random
--           TPR 1 at FPR 0: one threshold separates the two classes completely
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   points INTEGER DEFAULT NULL CHECK (points > 1)
-- values:   points: the most points to keep, at equal lengths of the curve; by default all
-- chart:    roc (points = 80)
-- grain:    system, segment, threshold
-- formula:  TPR = TP / P against FPR = FP / N, with score >= threshold; the first point is (0, 0)
-- source:   Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010
-- related:  auc, partial_auc, tpr_at_fpr, ks, pr_curve
-- note:     area is the exact area under the curve up to the point, so thinning the points does not change it;
--           in the last row it is the AUC
WITH started AS (
    SELECT system, segment, score AS threshold, tp, fp, p, n, won, positives, before, place, places FROM swept
    UNION ALL
    SELECT
        system, segment, CAST('Infinity' AS DOUBLE) AS threshold, 0e0 AS tp, 0e0 AS fp, p, n, 0e0 AS won,
        0e0 AS positives, 0e0 AS before, 0 AS place, places
    FROM swept
    WHERE place = 1
),
rates AS (
    SELECT
        system, segment, threshold, tp, fp, won, p, n, place, places,
        tp / nullif(p, 0) AS tpr,
        fp / nullif(n, 0) AS fpr,
        (tp - positives) / nullif(p, 0) AS tpr_before,
        (before - (tp - positives)) / nullif(n, 0) AS fpr_before
    FROM started
)
SELECT
    system,
    segment,
    threshold,
    tp,
    fp,
    tpr,
    fpr,
    won / nullif(p * n, 0) AS area
FROM rates
WHERE $points IS NULL OR places < $points OR place = 0
    OR floor((coalesce(tpr, fpr) + coalesce(fpr, tpr)) * ($points - 1) / 2 + 1e-9) > floor(
        (coalesce(tpr_before, fpr_before) + coalesce(fpr_before, tpr_before)) * ($points - 1) / 2 + 1e-9
    )
ORDER BY system, segment, threshold DESC, fp;
