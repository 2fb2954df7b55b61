-- name:     tpr_at_fpr
-- title:    Largest true positive rate at a false positive rate or better
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   fpr DOUBLE CHECK (fpr >= 0 AND fpr <= 1)
-- values:   fpr: the highest false positive rate that is accepted
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- formula:  max over thresholds with FPR <= fpr of TPR, at least 0
-- source:   Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010
-- oracle:   reference
-- example:  tpr_at_fpr(fpr := 0.1) = 0.555556
SELECT
    system,
    segment,
    max(CASE WHEN fp / nullif(n, 0) <= $fpr THEN tp / nullif(p, 0) WHEN p > 0 AND n > 0 THEN 0e0 END) AS value
FROM thresholds
GROUP BY system, segment;
