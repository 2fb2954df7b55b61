-- name:     fpr
-- title:    False positive rate
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   threshold DOUBLE DEFAULT 0.5
-- grain:    system, segment
-- range:    [0, 1], lower is better
-- interval: proportion
-- formula:  FP / (FP + TN)
-- source:   Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002
-- oracle:   reference
-- example:  fpr(threshold := 0.3) = 0.333333
SELECT system, segment, fp / nullif(fp + tn, 0) AS value
FROM confusion;
