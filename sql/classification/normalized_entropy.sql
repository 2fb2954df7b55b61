-- name:     normalized_entropy
-- alias:    ne
-- title:    Log loss relative to that of predicting the base rate
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   eps DOUBLE DEFAULT 1e-15 CHECK (eps >= 0 AND eps < 0.5),
--           base_rate DOUBLE DEFAULT NULL CHECK (base_rate > 0 AND base_rate < 1)
-- idle:     undefined WHEN base_rate IS NOT NULL
-- grain:    system, segment
-- range:    [0, inf], lower is better
-- infinite: a wrong probability is 0 or 1, with eps=0; or base_rate is next to 0 or 1
-- formula:  log loss / entropy of the base rate
-- source:   He et al., ADKDD 2014, doi:10.1145/2648584.2648589
-- oracle:   reference
-- example:  normalized_entropy() = 0.695036
SELECT system, segment, log_loss.value / nullif(base_entropy.value, 0) AS value
FROM log_loss
LEFT JOIN base_entropy USING (system, segment);
