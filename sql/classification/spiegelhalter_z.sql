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
-- worked:   (-0.28 * 0.44 - 0.15 * 0.7 - 0.4 * 0.2 - 0.08 * 0.84 + 0.67 * 0.34 - 0.4 * 0.2 - 0.05 * 0.9 -
--           0.22 * 0.56 - 0.31 * 0.38 - 0.12 * 0.76 - 0.45 * 0.1 - 0.39 * 0.22 + 0.55 * 0.1 + 0.72 * 0.44 -
--           0.09 * 0.82 - 0.1 * 0.8 + 0.55 * 0.1 - 0.23 * 0.54 - 0.18 * 0.64 - 0.03 * 0.94 + 0.82 * 0.64 +
--           0.52 * 0.04 - 0.27 * 0.46 - 0.11 * 0.78) / sqrt(0.44^2 * 0.72 * 0.28 + 0.7^2 * 0.15 * 0.85 +
--           0.2^2 * 0.4 * 0.6 + 0.84^2 * 0.08 * 0.92 + 0.34^2 * 0.33 * 0.67 + 0.2^2 * 0.4 * 0.6 +
--           0.9^2 * 0.05 * 0.95 + 0.56^2 * 0.22 * 0.78 + 0.38^2 * 0.31 * 0.69 + 0.76^2 * 0.12 * 0.88 +
--           0.1^2 * 0.55 * 0.45 + 0.22^2 * 0.61 * 0.39 + 0.1^2 * 0.55 * 0.45 + 0.44^2 * 0.28 * 0.72 +
--           0.82^2 * 0.09 * 0.91 + 0.8^2 * 0.9 * 0.1 + 0.1^2 * 0.45 * 0.55 + 0.54^2 * 0.77 * 0.23 +
--           0.64^2 * 0.18 * 0.82 + 0.94^2 * 0.03 * 0.97 + 0.64^2 * 0.18 * 0.82 + 0.04^2 * 0.52 * 0.48 +
--           0.46^2 * 0.27 * 0.73 + 0.78^2 * 0.11 * 0.89) = -0.4273
-- related:  spiegelhalter_p, hosmer_lemeshow, brier, calibration_curve, ece
SELECT
    system,
    segment,
    sum((label - p) * (1 - 2 * p))
        / nullif(sqrt(greatest(sum((1 - 2 * p) * (1 - 2 * p) * p * (1 - p)), 0e0)), 0) AS value
FROM probabilities
GROUP BY system, segment;
