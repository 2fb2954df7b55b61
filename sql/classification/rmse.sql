-- name:     rmse
-- title:    Root mean squared error of predicted numbers
-- inputs:   predictions (system, segment, label, score, weight)
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, inf), lower is better
-- formula:  sqrt(mean (s - y)^2)
-- source:   Willmott and Matsuura, Climate Research 2005, doi:10.3354/cr030079
-- oracle:   sklearn root_mean_squared_error
-- example:  rmse() = 0.389856
SELECT
    system,
    segment,
    sqrt(sum(weight * (score - label) * (score - label)) / nullif(sum(weight), 0)) AS value
FROM ratings
GROUP BY system, segment;
