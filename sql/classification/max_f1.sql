-- name:     max_f1
-- title:    Largest F1 over all thresholds
-- meaning:  Max F1 is the F1 at the best threshold. It combines precision and recall, and compares models whose
--           thresholds are not chosen yet.
-- use:      when you compare models before you choose a threshold
-- beware:   the threshold is chosen on the rows that it is measured on, so F1 on new rows is usually lower
-- reading:  1: one threshold separates the two classes completely
--           2c / (1 + c): no threshold beats predicting every row positive; c is the base rate
--           0: the rows hold no positive
-- inputs:   predictions (system, segment, label, score, weight)
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- formula:  max over thresholds of 2 TP / (TP + FP + P)
-- tex:      \max_{t} \frac{2 \, \mathrm{TP}_t}{\mathrm{TP}_t + \mathrm{FP}_t + P}
-- symbols:  t: a threshold; each distinct score is one
--           \mathrm{TP}_t: the number of positives with a score of t or higher
--           \mathrm{FP}_t: the number of negatives with a score of t or higher
--           P: the number of positives among all rows
-- source:   Lipton, Elkan and Naryanaswamy, ECML PKDD 2014, doi:10.1007/978-3-662-44851-9_15
-- oracle:   reference
-- example:  max_f1() = 0.727273
-- worked:   2 * 8 / (8 + 5 + 9) = 0.7273
-- related:  f_beta, pr_curve, threshold_table, average_precision
-- note:     without any positive row, the value is 0
SELECT system, segment, max(2 * tp / nullif(tp + fp + p, 0)) AS value
FROM thresholds
GROUP BY system, segment;
