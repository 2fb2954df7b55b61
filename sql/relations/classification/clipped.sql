-- name:     clipped
-- title:    Rows whose probability is kept away from 0 and 1
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   eps DOUBLE DEFAULT 1e-15 CHECK (eps >= 0 AND eps < 0.5)
-- values:   eps: probabilities below eps count as eps, those above 1 - eps as 1 - eps
-- grain:    row
-- note:     the clip would turn NULL and NaN into a probability; a check refuses them before
SELECT system, segment, label, greatest(least(p, 1 - $eps), $eps) AS p, weight
FROM probabilities;
