-- name:     mae
-- title:    Mean absolute error of predicted numbers
-- meaning:  MAE is the average size of the prediction error, in the unit of the label. It is the average distance
--           between a predicted and an actual number, such as a rating.
-- use:      when you predict a number, and an error of 2 is twice as bad as an error of 1
-- beware:   it rewards predictions of the median: if positives are rare, predicting 0 for every row gives a small
--           error; use brier for probabilities
-- reading:  0: every prediction equals its label
--           1: a prediction is wrong by 1 on average, in the unit of the label
-- inputs:   predictions (system, segment, label, score, weight)
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, inf), lower is better
-- formula:  mean |s - y|
-- tex:      \mathrm{MAE} = \frac{1}{n} \sum_{i=1}^{n} |s_i - y_i|
-- symbols:  y_i: the label of row i, a number
--           s_i: the predicted number of row i
--           n: the number of rows
-- source:   Willmott and Matsuura, Climate Research 2005, doi:10.3354/cr030079
-- oracle:   sklearn mean_absolute_error
-- example:  mae() = 0.320417
-- worked:   ((1 - 0.72) + 0.15 + 0.4 + 0.08 + (1 - 0.33) + 0.4 + 0.05 + 0.22 + 0.31 + 0.12 + (1 - 0.55) +
--           (1 - 0.61) + 0.55 + (1 - 0.28) + 0.09 + (1 - 0.9) + (1 - 0.45) + (1 - 0.77) + 0.18 + 0.03 + (1 - 0.18) +
--           0.52 + 0.27 + 0.11) / 24 = 0.3204
-- related:  rmse, r2, brier
SELECT system, segment, sum(weight * abs(score - label)) / nullif(sum(weight), 0) AS value
FROM ratings
GROUP BY system, segment;
