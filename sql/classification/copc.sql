-- name:     copc
-- title:    Observed over predicted positives
-- meaning:  COPC divides the observed number of positives by the predicted number. It shows whether probabilities are
--           too low or too high on average.
-- use:      when sums of probabilities matter and your team reports observed over predicted
-- beware:   a value above 1 means that probabilities are too low; errors in opposite directions cancel each other
-- reading:  1: the number of positives equals the sum of the probabilities
--           1.1: the data has 10 % more positives than predicted
--           0.9: the data has 10 % fewer positives than predicted
--           0: all rows are negative
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    system, segment
-- range:    [0, inf), closest to 1 is better
-- undefined: every probability is 0
-- formula:  sum y / sum p
-- tex:      \mathrm{COPC} = \frac{\sum_{i=1}^{n} y_i}{\sum_{i=1}^{n} p_i}
-- symbols:  n: the number of rows
--           p_i: the predicted probability of row i
--           y_i: the label of row i, 1 for a positive and 0 for a negative
-- source:   Graepel et al., ICML 2010
-- oracle:   reference
-- example:  copc() = 1.088271
-- worked:   9 / (0.72 + 0.15 + 0.4 + 0.08 + 0.33 + 0.4 + 0.05 + 0.22 + 0.31 + 0.12 + 0.55 + 0.61 + 0.55 + 0.28 +
--           0.09 + 0.9 + 0.45 + 0.77 + 0.18 + 0.03 + 0.18 + 0.52 + 0.27 + 0.11) = 1.0883
-- related:  calibration_ratio, calibration_intercept, calibration_curve, ece
SELECT system, segment, sum(weight * label) / nullif(sum(weight * p), 0) AS value
FROM probabilities
GROUP BY system, segment;
