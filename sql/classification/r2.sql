-- name:     r2
-- title:    Coefficient of determination
-- meaning:  R2 compares the squared error of the predictions with that of a constant, the mean label. It shows the
--           share of the variance of the labels that the predictions explain.
-- use:      when you predict a number, and want a value that does not depend on its unit
-- beware:   the same error gives a lower value where labels are more alike; it is not the squared correlation,
--           because a constant shift of the predictions lowers it
-- reading:  1: every prediction equals its label
--           0: no better than predicting the mean label for every row
--           < 0: worse than predicting the mean label for every row
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    system, segment
-- range:    (-inf, 1], higher is better
-- undefined: all labels are equal
-- formula:  1 - sum (y - s)^2 / sum (y - mean y)^2
-- tex:      R^2 = 1 - \frac{\sum_{i=1}^{n} (y_i - s_i)^2}{\sum_{i=1}^{n} (y_i - \bar{y})^2}
-- symbols:  y_i: the label of row i, a number
--           s_i: the predicted number of row i
--           n: the number of rows
--           \bar{y}: the mean label
-- source:   Wright, Journal of Agricultural Research 1921
-- oracle:   sklearn r2_score
-- example:  r2() = 0.35152
-- worked:   1 - ((1 - 0.72)^2 + 0.15^2 + 0.4^2 + 0.08^2 + (1 - 0.33)^2 + 0.4^2 + 0.05^2 + 0.22^2 + 0.31^2 + 0.12^2 +
--           (1 - 0.55)^2 + (1 - 0.61)^2 + 0.55^2 + (1 - 0.28)^2 + 0.09^2 + (1 - 0.9)^2 + (1 - 0.45)^2 +
--           (1 - 0.77)^2 + 0.18^2 + 0.03^2 + (1 - 0.18)^2 + 0.52^2 + 0.27^2 + 0.11^2) / (9 * (1 - 9/24)^2 +
--           15 * (9/24)^2) = 0.3515
-- related:  rmse, mae, brier_skill
WITH means AS (
    SELECT system, segment, sum(weight * label) / nullif(sum(weight), 0) AS mean_label
    FROM ratings
    GROUP BY system, segment
),
centered AS (
    SELECT
        ratings.system,
        ratings.segment,
        ratings.weight,
        ratings.label - ratings.score AS residual,
        ratings.label - means.mean_label AS deviation
    FROM ratings
    JOIN means ON means.system = ratings.system AND means.segment = ratings.segment
)
SELECT
    system,
    segment,
    1 - sum(weight * residual * residual) / nullif(sum(weight * deviation * deviation), 0) AS value
FROM centered
GROUP BY system, segment;
