-- name:     spiegelhalter_p
-- title:    p-value of Spiegelhalter's test of calibration, two-sided
-- inputs:   predictions (system, segment, label, score, weight)
-- switches: weighted BOOLEAN DEFAULT FALSE CHECK (NOT weighted)
-- grain:    system, segment
-- range:    [0, 1], neither is better
-- undefined: every probability is 0, 1/2 or 1
-- formula:  2 (1 - Phi(|z|))
-- source:   Spiegelhalter, Statistics in Medicine 1986, doi:10.1002/sim.4780050506
-- oracle:   reference
-- example:  spiegelhalter_p() = 0.669186
SELECT system, segment, normal_p(spiegelhalter_z.value) AS value
FROM spiegelhalter_z;
