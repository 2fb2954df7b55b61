-- name:     max_f1
-- title:    Largest F1 over all thresholds
-- inputs:   predictions (system, segment, label, score, weight)
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- formula:  max over thresholds of 2 TP / (TP + FP + P)
-- source:   Lipton, Elkan and Naryanaswamy, ECML PKDD 2014, doi:10.1007/978-3-662-44851-9_15
-- oracle:   reference
-- example:  max_f1() = 0.727273
SELECT system, segment, max(2 * tp / nullif(tp + fp + p, 0)) AS value
FROM thresholds
GROUP BY system, segment;
