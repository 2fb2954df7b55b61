-- name:     mcc
-- alias:    phi
-- title:    Matthews correlation coefficient
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   threshold DOUBLE DEFAULT 0.5
-- grain:    system, segment
-- range:    [-1, 1], higher is better
-- undefined: all rows are predicted the same class
-- formula:  (TP TN - FP FN) / sqrt((TP + FP)(TP + FN)(TN + FP)(TN + FN))
-- source:   Matthews, Biochimica et Biophysica Acta 1975, doi:10.1016/0005-2795(75)90109-9
-- oracle:   sklearn matthews_corrcoef
-- example:  mcc(threshold := 0.3) = 0.430331
-- note:     NULL where scikit-learn says 0
SELECT
    system,
    segment,
    (tp * tn - fp * fn) / nullif(sqrt(tp + fp) * sqrt(tp + fn) * sqrt(tn + fp) * sqrt(tn + fn), 0) AS value
FROM confusion;
