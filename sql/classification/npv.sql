-- name:     npv
-- title:    Share of the predicted negatives that are negative
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   threshold DOUBLE DEFAULT 0.5
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: proportion
-- undefined: no row is predicted negative
-- formula:  TN / (TN + FN)
-- source:   Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002
-- oracle:   sklearn precision_score(pos_label=0)
-- example:  npv(threshold := 0.3) = 0.833333
SELECT system, segment, tn / nullif(tn + fn, 0) AS value
FROM confusion;
