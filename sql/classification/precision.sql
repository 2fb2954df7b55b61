-- name:     precision
-- alias:    ppv
-- macro:    precision_score for precision
-- title:    Share of the predicted positives that are positive
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   threshold DOUBLE DEFAULT 0.5
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: proportion
-- undefined: no row is predicted positive
-- formula:  TP / (TP + FP)
-- source:   Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002
-- oracle:   sklearn precision_score
-- example:  precision(threshold := 0.3) = 0.583333
SELECT system, segment, tp / nullif(tp + fp, 0) AS value
FROM confusion;
