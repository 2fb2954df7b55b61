-- name:     f_beta
-- alias:    f1 (beta = 1)
-- macro:    f_beta_score for f_beta, f1_score for f1
-- title:    Weighted harmonic mean of precision and recall
-- meaning:  F-beta combines precision and recall in one number. With beta = 1 both count the same, and with a larger
--           beta recall counts more.
-- use:      when you need one number for precision and recall at a fixed threshold
-- beware:   if positives are common, predicting positive for every row gives a high value; true negatives do not
--           count
-- reading:  1: all positives and only positives are predicted positive
--           0: no positive is predicted positive
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   beta DOUBLE CHECK (beta > 0),
--           threshold DOUBLE DEFAULT 0.5
-- values:   beta: as in ranking/f_beta
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- undefined: no row is positive or predicted positive
-- formula:  (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP)
-- tex:      F_\beta = \frac{(1 + \beta^2) \mathrm{TP}}{(1 + \beta^2) \mathrm{TP} + \beta^2 \mathrm{FN} + \mathrm{FP}}
-- symbols:  \beta: the factor by which recall counts more than precision
--           \mathrm{TP}: the number of positives that are predicted positive
--           \mathrm{FN}: the number of positives that are predicted negative
--           \mathrm{FP}: the number of negatives that are predicted positive
-- source:   van Rijsbergen, Information Retrieval, 1979
-- oracle:   sklearn fbeta_score
-- example:  f_beta(beta := 2, threshold := 0.3) = 0.729167
-- worked:   (1 + 2^2) * 7 / ((1 + 2^2) * 7 + 2^2 * 2 + 5) = 0.7292
-- related:  precision, recall, max_f1, mcc
SELECT
    system,
    segment,
    (1 + $beta * $beta) * tp / nullif((1 + $beta * $beta) * tp + $beta * $beta * fn + fp, 0) AS value
FROM confusion;
