-- name:     mae
-- title:    Mean absolute error of predicted numbers
-- inputs:   predictions (system, segment, label, score, weight)
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, inf), lower is better
-- formula:  mean |s - y|
-- source:   Willmott and Matsuura, Climate Research 2005, doi:10.3354/cr030079
-- oracle:   sklearn mean_absolute_error
-- example:  mae() = 0.320417
SELECT system, segment, sum(weight * abs(score - label)) / nullif(sum(weight), 0) AS value
FROM ratings
GROUP BY system, segment;
