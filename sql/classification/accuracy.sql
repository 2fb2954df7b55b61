-- name:     accuracy
-- title:    Share of the rows that are classified right
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   threshold DOUBLE DEFAULT 0.5
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: proportion
-- formula:  (TP + TN) / (TP + FP + FN + TN)
-- source:   Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002
-- oracle:   sklearn accuracy_score
-- example:  accuracy(threshold := 0.3) = 0.708333
SELECT system, segment, (tp + tn) / nullif(tp + fp + fn + tn, 0) AS value
FROM confusion;
