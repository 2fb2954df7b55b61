-- name:     recall_at_precision
-- title:    Largest recall at a minimum precision
-- meaning:  Recall at precision is the largest share of the positives that a threshold finds at the required
--           precision.
-- use:      when the share of false alarms among the selected rows must stay small
-- beware:   the threshold is chosen on the rows that it is measured on; at a high precision, a few rows at the top
--           decide the value
-- reading:  1: every positive can be found at this precision
--           0.5: half of the positives can be found at this precision
--           near 0: almost no positive can be found at this precision
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   precision DOUBLE CHECK (precision >= 0 AND precision <= 1)
-- values:   precision: the lowest precision that is accepted
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- undefined: no threshold reaches the precision
-- formula:  max of R over thresholds with P >= precision
-- tex:      \max_{t : \, \mathrm{precision}(t) \ge q} \mathrm{recall}(t)
-- symbols:  t: a threshold; each distinct score is one
--           \mathrm{precision}(t): the share of positives among the rows with a score of t or higher
--           \mathrm{recall}(t): the share of the positives with a score of t or higher
--           q: the lowest precision that is accepted, the parameter precision
-- source:   Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874
-- oracle:   reference
-- example:  recall_at_precision(precision := 0.75) = 0.666667
-- worked:   6 / 9 = 0.6667
-- related:  precision_at_recall, pr_curve, tpr_at_fpr, average_precision
SELECT
    system,
    segment,
    max(CASE WHEN tp / nullif(tp + fp, 0) >= $precision THEN tp / nullif(p, 0) END) AS value
FROM thresholds
GROUP BY system, segment;
