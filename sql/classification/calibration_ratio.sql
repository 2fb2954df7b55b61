-- name:     calibration_ratio
-- alias:    pcoc
-- title:    Predicted over observed positives
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    system, segment
-- range:    [0, inf), closest to 1 is better
-- formula:  sum p / sum y
-- source:   Graepel et al., ICML 2010
-- oracle:   reference
-- example:  calibration_ratio() = 0.918889
SELECT system, segment, sum(weight * p) / nullif(sum(weight * label), 0) AS value
FROM probabilities
GROUP BY system, segment;
