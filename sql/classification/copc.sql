-- name:     copc
-- title:    Observed over predicted positives
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    system, segment
-- range:    [0, inf), closest to 1 is better
-- undefined: every probability is 0
-- formula:  sum y / sum p
-- source:   Graepel et al., ICML 2010
-- oracle:   reference
-- example:  copc() = 1.088271
SELECT system, segment, sum(weight * label) / nullif(sum(weight * p), 0) AS value
FROM probabilities
GROUP BY system, segment;
