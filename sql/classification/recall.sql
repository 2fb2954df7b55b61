-- name:     recall
-- alias:    tpr, sensitivity
-- macro:    recall_score for recall
-- title:    Share of the positives that are predicted positive
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   threshold DOUBLE DEFAULT 0.5
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: proportion
-- formula:  TP / (TP + FN)
-- source:   Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002
-- oracle:   sklearn recall_score
-- example:  recall(threshold := 0.3) = 0.777778
SELECT system, segment, tp / nullif(tp + fn, 0) AS value
FROM confusion;
