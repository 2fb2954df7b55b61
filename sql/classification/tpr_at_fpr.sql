-- name:     tpr_at_fpr
-- title:    Largest true positive rate at a maximum false positive rate
-- meaning:  TPR at FPR is the largest share of the positives that a threshold finds within a limit of false alarms.
--           The limit is a share of the negatives.
-- use:      when the number of false alarms is limited, as in fraud detection
-- beware:   at a small limit, a few negatives decide the value, so it is noisy; points between thresholds do not
--           count
-- reading:  1: every positive is found within the limit
--           fpr: no better than random
--           0: no threshold within the limit finds a positive
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   fpr DOUBLE CHECK (fpr >= 0 AND fpr <= 1)
-- values:   fpr: the highest false positive rate that is accepted
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- formula:  max of TPR over thresholds with FPR <= fpr, at least 0
-- tex:      \max_{t : \, \mathrm{FPR}(t) \le f} \mathrm{TPR}(t)
-- symbols:  t: a threshold; each distinct score is one, and so is infinity, with rates of 0
--           \mathrm{TPR}(t): the share of the positives with a score of t or higher
--           \mathrm{FPR}(t): the share of the negatives with a score of t or higher
--           f: the highest false positive rate that is accepted, the parameter fpr
-- source:   Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010
-- oracle:   reference
-- example:  tpr_at_fpr(fpr := 0.1) = 0.555556
-- worked:   5 / 9 = 0.5556
-- related:  roc_curve, partial_auc, recall_at_precision, ks
SELECT
    system,
    segment,
    max(CASE WHEN fp / nullif(n, 0) <= $fpr THEN tp / nullif(p, 0) WHEN p > 0 AND n > 0 THEN 0e0 END) AS value
FROM thresholds
GROUP BY system, segment;
