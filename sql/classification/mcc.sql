-- name:     mcc
-- alias:    phi
-- title:    Matthews correlation coefficient
-- meaning:  MCC is the correlation between the predicted class and the actual class. It is high only if the
--           predictions are right for both classes.
-- use:      when both classes matter, and one of them is rare
-- beware:   the value depends on the threshold and on the base rate; compare models on the same rows, each at its own
--           threshold
-- reading:  1: every row is predicted right
--           0: no better than random
--           -1: every row is predicted wrong
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   threshold DOUBLE DEFAULT 0.5
-- grain:    system, segment
-- range:    [-1, 1], higher is better
-- undefined: all rows are predicted the same class
-- formula:  (TP TN - FP FN) / sqrt((TP + FP)(TP + FN)(TN + FP)(TN + FN))
-- tex:      \mathrm{MCC} = \frac{\mathrm{TP} \cdot \mathrm{TN} - \mathrm{FP} \cdot \mathrm{FN}} {\sqrt{(\mathrm{TP} +
--           \mathrm{FP}) (\mathrm{TP} + \mathrm{FN}) (\mathrm{TN} + \mathrm{FP}) (\mathrm{TN} + \mathrm{FN})}}
-- symbols:  \mathrm{TP}: the number of positives that are predicted positive
--           \mathrm{FP}: the number of negatives that are predicted positive
--           \mathrm{TN}: the number of negatives that are predicted negative
--           \mathrm{FN}: the number of positives that are predicted negative
-- source:   Matthews, Biochimica et Biophysica Acta 1975, doi:10.1016/0005-2795(75)90109-9
-- oracle:   sklearn matthews_corrcoef
-- example:  mcc(threshold := 0.3) = 0.430331
-- worked:   (7 * 10 - 5 * 2) / sqrt((7 + 5) * (7 + 2) * (10 + 5) * (10 + 2)) = 0.4303
-- related:  cohen_kappa, balanced_accuracy, f_beta, confusion
-- note:     scikit-learn returns 0 where this value is NULL
SELECT
    system,
    segment,
    (tp * tn - fp * fn) / nullif(sqrt(tp + fp) * sqrt(tp + fn) * sqrt(tn + fp) * sqrt(tn + fn), 0) AS value
FROM confusion;
