-- name:     calibration_ratio
-- alias:    pcoc
-- title:    Predicted over observed positives
-- meaning:  The calibration ratio divides the predicted number of positives by the observed number. It shows whether
--           probabilities are too high or too low on average.
-- use:      when sums of probabilities matter, as in budgets and bids for ads
-- beware:   errors in opposite directions cancel each other; predicting the base rate for every row gives exactly 1
-- reading:  1: the sum of the probabilities equals the number of positives
--           1.1: probabilities are 10 % too high on average
--           0.9: probabilities are 10 % too low on average
--           0: every probability is 0
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    system, segment
-- range:    [0, inf), closest to 1 is better
-- formula:  sum p / sum y
-- tex:      \mathrm{PCOC} = \frac{\sum_{i=1}^{n} p_i}{\sum_{i=1}^{n} y_i}
-- symbols:  n: the number of rows
--           p_i: the predicted probability of row i
--           y_i: the label of row i, 1 for a positive and 0 for a negative
-- source:   Graepel et al., ICML 2010
-- oracle:   reference
-- example:  calibration_ratio() = 0.918889
-- worked:   (0.72 + 0.15 + 0.4 + 0.08 + 0.33 + 0.4 + 0.05 + 0.22 + 0.31 + 0.12 + 0.55 + 0.61 + 0.55 + 0.28 + 0.09 +
--           0.9 + 0.45 + 0.77 + 0.18 + 0.03 + 0.18 + 0.52 + 0.27 + 0.11) / 9 = 0.9189
-- related:  copc, calibration_intercept, calibration_curve, ece
SELECT system, segment, sum(weight * p) / nullif(sum(weight * label), 0) AS value
FROM probabilities
GROUP BY system, segment;
