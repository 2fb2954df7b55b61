-- name:     fnr
-- title:    False negative rate
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   threshold DOUBLE DEFAULT 0.5
-- grain:    system, segment
-- range:    [0, 1], lower is better
-- interval: proportion
-- formula:  FN / (FN + TP)
-- source:   Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002
-- oracle:   reference
-- example:  fnr(threshold := 0.3) = 0.222222
SELECT system, segment, fn / nullif(fn + tp, 0) AS value
FROM confusion;
