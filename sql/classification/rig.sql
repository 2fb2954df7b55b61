-- name:     rig
-- title:    Relative information gain
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   eps DOUBLE DEFAULT 1e-15 CHECK (eps >= 0 AND eps < 0.5),
--           base_rate DOUBLE DEFAULT NULL CHECK (base_rate > 0 AND base_rate < 1)
-- idle:     undefined WHEN base_rate IS NOT NULL
-- grain:    system, segment
-- range:    [-inf, 1], higher is better
-- infinite: a wrong probability is 0 or 1, with eps=0; or base_rate is next to 0 or 1
-- formula:  1 - normalized entropy
-- source:   Graepel et al., ICML 2010
-- oracle:   reference
-- example:  rig() = 0.304964
SELECT system, segment, 1 - normalized_entropy.value AS value
FROM normalized_entropy;
