-- name:     precision_at_recall
-- title:    Largest precision at a minimum recall
-- meaning:  Precision at recall is the best precision of all thresholds that find the required share of the
--           positives.
-- use:      when a fixed share of the positives must be found, as in safety reviews
-- beware:   the threshold is chosen on the rows that it is measured on, so precision on new rows is usually lower; it
--           moves with the base rate
-- reading:  1: every row that the threshold selects is positive
--           base rate: no such threshold is better than predicting every row positive
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   recall DOUBLE CHECK (recall >= 0 AND recall <= 1)
-- values:   recall: the lowest recall that is accepted
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- formula:  max of P over thresholds with R >= recall
-- tex:      \max_{t : \, \mathrm{recall}(t) \ge r} \mathrm{precision}(t)
-- symbols:  t: a threshold; each distinct score is one
--           \mathrm{precision}(t): the share of positives among the rows with a score of t or higher
--           \mathrm{recall}(t): the share of the positives with a score of t or higher
--           r: the lowest recall that is accepted, the parameter recall
-- source:   Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874
-- oracle:   reference
-- example:  precision_at_recall(recall := 0.8) = 0.615385
-- worked:   8 / (8 + 5) = 0.6154
-- related:  recall_at_precision, pr_curve, precision, recall, average_precision
SELECT
    system,
    segment,
    max(CASE WHEN tp / nullif(p, 0) >= $recall THEN tp / nullif(tp + fp, 0) END) AS value
FROM thresholds
GROUP BY system, segment;
