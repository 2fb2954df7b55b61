-- name:     spiegelhalter_z
-- title:    Spiegelhalter's z of calibration
-- meaning:  Spiegelhalter's z compares the Brier score with the Brier score that calibrated probabilities give on
--           average. The unit is one standard error.
-- use:      to test calibration without a choice of bins, and to see the direction of the error
-- beware:   probabilities near 0.5 hardly count, and opposite errors cancel, so 0 does not prove calibration; the
--           same error gives a larger value on more rows
-- reading:  0: the squared error is as large as calibrated probabilities give on average
--           > 1.96: the squared error is too large, as with probabilities that are too extreme
--           < -1.96: the squared error is too small, as with probabilities that are too cautious
-- inputs:   predictions (system, segment, label, score, weight)
-- switches: weighted BOOLEAN DEFAULT FALSE CHECK (NOT weighted)
-- values:   weighted: as in hosmer_lemeshow
-- grain:    system, segment
-- range:    (-inf, inf), closest to 0 is better
-- influence: none
-- undefined: every probability is 0, 1/2 or 1
-- formula:  sum (y - p)(1 - 2p) / sqrt(sum (1 - 2p)^2 p (1 - p)), standard normal if calibrated
-- tex:      z = \frac{\sum_{i=1}^{n} (y_i - p_i) (1 - 2 p_i)}{\sqrt{\sum_{i=1}^{n} (1 - 2 p_i)^2 p_i (1 - p_i)}}
-- symbols:  y_i: the label of row i, 0 or 1
--           p_i: the predicted probability of row i
--           n: the number of rows
-- source:   Spiegelhalter, Statistics in Medicine 1986, doi:10.1002/sim.4780050506
-- oracle:   reference
-- example:  spiegelhalter_z() = -0.427265
-- worked:   (0.6662 - 1.0608) / sqrt(0.28978236 + 0.56316) = -0.4273
-- related:  spiegelhalter_p, hosmer_lemeshow, brier, calibration_curve, ece
SELECT
    system,
    segment,
    sum((label - p) * (1 - 2 * p))
        / nullif(sqrt(greatest(sum((1 - 2 * p) * (1 - 2 * p) * p * (1 - p)), 0e0)), 0) AS value
FROM probabilities
GROUP BY system, segment;
