-- name:     ecce_z
-- title:    Estimated cumulative calibration error in standard errors
-- meaning:  This value is ECCE, divided by the standard error that the summed differences have if the probabilities are
--           calibrated. Samples and slices of different size are comparable.
-- use:      to find the slice whose calibration is worst: the largest value over slices is a multicalibration error
-- beware:   the same error gives a larger value on more rows; the largest of many slices is large by chance, too
-- reading:  1.6: the mean value if the probabilities are calibrated
--           > 2.5: chance alone rarely explains it (p < 0.05); the probabilities are probably not calibrated
--           0: at every probability, the share of positives equals the probability
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    system, segment
-- range:    [0, inf), lower is better
-- influence: none
-- undefined: every probability is 0 or 1
-- formula:  ECCE / sigma, sigma = sqrt(sum p (1 - p)) / n
-- tex:      z = \frac{\mathrm{ECCE}}{\sigma} \qquad
--           \sigma = \frac{\sqrt{\sum_{i=1}^{n} w_i^2 p_i (1 - p_i)}}{\sum_{i=1}^{n} w_i}
-- symbols:  \mathrm{ECCE}: the value of ecce
--           \sigma: the standard deviation of the sum over all rows if the probabilities are calibrated
--           p_i: the predicted probability of row i
--           w_i: the weight of row i, 1 without weights
--           n: the number of rows
-- source:   Arrieta-Ibarra, Gujral, Tannen, Tygert and Xu, JMLR 2022, 23(351); over slices: Guy et al., 2025,
--           arXiv:2506.11251
-- oracle:   reference
-- example:  ecce_z() = 0.676433
-- worked:   (0.73 + 0.63) / sqrt(0.72 * 0.28 + 0.15 * 0.85 + 0.4 * 0.6 + 0.08 * 0.92 + 0.33 * 0.67 + 0.4 * 0.6 +
--           0.05 * 0.95 + 0.22 * 0.78 + 0.31 * 0.69 + 0.12 * 0.88 + 0.55 * 0.45 + 0.61 * 0.39 + 0.55 * 0.45 +
--           0.28 * 0.72 + 0.09 * 0.91 + 0.9 * 0.1 + 0.45 * 0.55 + 0.77 * 0.23 + 0.18 * 0.82 + 0.03 * 0.97 +
--           0.18 * 0.82 + 0.52 * 0.48 + 0.27 * 0.73 + 0.11 * 0.89) = 0.6764
-- related:  ecce, ecce_p, spiegelhalter_z, hosmer_lemeshow
-- note:     a row of weight 3 is one draw that counts three times, as with weights against sampling; it is not three
--           independent rows, which have a smaller standard error
SELECT
    system,
    segment,
    (max(highest) - min(lowest)) / nullif(sqrt(greatest(sum(variance), 0e0)), 0) AS value
FROM deviations
GROUP BY system, segment;
