-- name:     balanced_accuracy
-- title:    Mean of the recalls of both classes
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   threshold DOUBLE DEFAULT 0.5
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- formula:  (TPR + TNR) / 2
-- source:   Brodersen et al., ICPR 2010, doi:10.1109/ICPR.2010.764
-- oracle:   sklearn balanced_accuracy_score
-- example:  balanced_accuracy(threshold := 0.3) = 0.722222
SELECT system, segment, (tp / nullif(tp + fn, 0) + tn / nullif(tn + fp, 0)) / 2 AS value
FROM confusion;
