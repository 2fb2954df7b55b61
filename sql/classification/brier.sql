-- name:     brier
-- alias:    brier_score
-- title:    Brier score, the mean squared error of a probability
-- inputs:   predictions (system, segment, label, score, weight)
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 1], lower is better
-- formula:  mean (p - y)^2
-- source:   Brier, Monthly Weather Review 1950, doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2
-- oracle:   sklearn brier_score_loss
-- example:  brier() = 0.151988
SELECT system, segment, sum(weight * (p - label) * (p - label)) / nullif(sum(weight), 0) AS value
FROM probabilities
GROUP BY system, segment;
