-- name:     spiegelhalter_z
-- title:    Spiegelhalter's z of calibration
-- inputs:   predictions (system, segment, label, score, weight)
-- switches: weighted BOOLEAN DEFAULT FALSE CHECK (NOT weighted)
-- values:   weighted: as in hosmer_lemeshow
-- grain:    system, segment
-- range:    (-inf, inf), closest to 0 is better
-- influence: none
-- undefined: every probability is 0, 1/2 or 1
-- formula:  sum (y - p)(1 - 2p) / sqrt(sum (1 - 2p)^2 p (1 - p)), standard normal if calibrated
-- source:   Spiegelhalter, Statistics in Medicine 1986, doi:10.1002/sim.4780050506
-- oracle:   reference
-- example:  spiegelhalter_z() = -0.427265
SELECT
    system,
    segment,
    sum((label - p) * (1 - 2 * p))
        / nullif(sqrt(greatest(sum((1 - 2 * p) * (1 - 2 * p) * p * (1 - p)), 0e0)), 0) AS value
FROM probabilities
GROUP BY system, segment;
