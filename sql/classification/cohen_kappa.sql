-- name:     cohen_kappa
-- alias:    kappa
-- title:    Cohen's kappa, agreement beyond chance
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   threshold DOUBLE DEFAULT 0.5
-- grain:    system, segment
-- range:    [-1, 1], higher is better
-- undefined: all rows have and are predicted one class
-- formula:  (p_o - p_e) / (1 - p_e), p_e = ((TP+FP)(TP+FN) + (TN+FP)(TN+FN)) / n^2
-- source:   Cohen, Educational and Psychological Measurement 1960, doi:10.1177/001316446002000104
-- oracle:   sklearn cohen_kappa_score
-- example:  cohen_kappa(threshold := 0.3) = 0.416667
WITH agreement AS (
    SELECT
        system,
        segment,
        (tp + tn) / nullif(tp + fp + fn + tn, 0) AS observed,
        ((tp + fp) * (tp + fn) + (tn + fp) * (tn + fn))
            / nullif((tp + fp + fn + tn) * (tp + fp + fn + tn), 0) AS expected
    FROM confusion
)
SELECT system, segment, (observed - expected) / nullif(1 - expected, 0) AS value
FROM agreement;
