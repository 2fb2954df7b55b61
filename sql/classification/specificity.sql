-- name:     specificity
-- alias:    tnr
-- title:    Share of the negatives that are predicted negative
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   threshold DOUBLE DEFAULT 0.5
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: proportion
-- formula:  TN / (TN + FP)
-- source:   Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002
-- oracle:   sklearn recall_score(pos_label=0)
-- example:  specificity(threshold := 0.3) = 0.666667
SELECT system, segment, tn / nullif(tn + fp, 0) AS value
FROM confusion;
