-- name:     brier
-- alias:    brier_score
-- title:    Brier score, the mean squared error of a probability
-- meaning:  The Brier score is the average squared distance between the predicted probability and the label. It is
--           low if the probabilities are calibrated and separate the two classes.
-- use:      when scores are probabilities and one number must cover both calibration and separation of the classes
-- beware:   if positives are rare, predicting the base rate for every row already gives a value near 0; compare with
--           that value
-- reading:  0: every positive has probability 1, and every negative has probability 0
--           0.25: the value of predicting 0.5 for every row
--           1: every positive has probability 0, and every negative has probability 1
-- inputs:   predictions (system, segment, label, score, weight)
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 1], lower is better
-- formula:  mean (p - y)^2
-- tex:      \mathrm{BS} = \frac{1}{n} \sum_{i=1}^{n} (p_i - y_i)^2
-- symbols:  n: the number of rows
--           p_i: the predicted probability of row i
--           y_i: the label of row i, 1 for a positive and 0 for a negative
-- source:   Brier, Monthly Weather Review 1950, doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2
-- oracle:   sklearn brier_score_loss
-- example:  brier() = 0.151988
-- worked:   ((1 - 0.72)^2 + 0.15^2 + 0.4^2 + 0.08^2 + (1 - 0.33)^2 + 0.4^2 + 0.05^2 + 0.22^2 + 0.31^2 + 0.12^2 +
--           (1 - 0.55)^2 + (1 - 0.61)^2 + 0.55^2 + (1 - 0.28)^2 + 0.09^2 + (1 - 0.9)^2 + (1 - 0.45)^2 +
--           (1 - 0.77)^2 + 0.18^2 + 0.03^2 + (1 - 0.18)^2 + 0.52^2 + 0.27^2 + 0.11^2) / 24 = 0.152
-- related:  brier_skill, brier_decomposition, log_loss, ece
SELECT system, segment, sum(weight * (p - label) * (p - label)) / nullif(sum(weight), 0) AS value
FROM probabilities
GROUP BY system, segment;
