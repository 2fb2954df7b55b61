-- name:     rmse
-- title:    Root mean squared error of predicted numbers
-- meaning:  RMSE is the typical size of the prediction error, in the unit of the label. Large errors count more than
--           in the mean absolute error.
-- use:      when you predict a number, such as a rating, and large errors are especially bad
-- beware:   a few large errors can decide the value; a small error does not mean that the best items are ranked first
-- reading:  0: every prediction equals its label
--           standard deviation of the labels: no better than predicting the mean label for every row
-- inputs:   predictions (system, segment, label, score, weight)
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, inf), lower is better
-- formula:  sqrt(mean (s - y)^2)
-- tex:      \mathrm{RMSE} = \sqrt{\frac{1}{n} \sum_{i=1}^{n} (s_i - y_i)^2}
-- symbols:  y_i: the label of row i, a number
--           s_i: the predicted number of row i
--           n: the number of rows
-- source:   Willmott and Matsuura, Climate Research 2005, doi:10.3354/cr030079
-- oracle:   sklearn root_mean_squared_error
-- example:  rmse() = 0.389856
-- worked:   sqrt(((1 - 0.72)^2 + 0.15^2 + 0.4^2 + 0.08^2 + (1 - 0.33)^2 + 0.4^2 + 0.05^2 + 0.22^2 + 0.31^2 + 0.12^2 +
--           (1 - 0.55)^2 + (1 - 0.61)^2 + 0.55^2 + (1 - 0.28)^2 + 0.09^2 + (1 - 0.9)^2 + (1 - 0.45)^2 +
--           (1 - 0.77)^2 + 0.18^2 + 0.03^2 + (1 - 0.18)^2 + 0.52^2 + 0.27^2 + 0.11^2) / 24) = 0.3899
-- related:  mae, r2, brier, ndcg
SELECT
    system,
    segment,
    sqrt(sum(weight * (score - label) * (score - label)) / nullif(sum(weight), 0)) AS value
FROM ratings
GROUP BY system, segment;
