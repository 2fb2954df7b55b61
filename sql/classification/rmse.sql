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
-- worked:   sqrt((2.4381 + 1.2096) / 24) = 0.3899
-- related:  mae, r2, brier, ndcg
SELECT
    system,
    segment,
    sqrt(sum(weight * (score - label) * (score - label)) / nullif(sum(weight), 0)) AS value
FROM ratings
GROUP BY system, segment;
