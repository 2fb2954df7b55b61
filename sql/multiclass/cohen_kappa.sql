-- name:     cohen_kappa
-- alias:    kappa
-- title:    Cohen's kappa of several classes, agreement beyond chance
-- meaning:  Kappa measures how often the predicted class is the right one, beyond the agreement that chance alone
--           gives.
-- use:      when accuracy misleads because one class is much more common
-- beware:   the value depends on how common the classes are; values of different data sets are not comparable
-- reading:  1: the right class of every row is predicted
--           0: the agreement is as large as chance alone gives
--           below 0: the agreement is smaller than chance alone gives
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- grain:    system, segment
-- range:    [-1, 1], higher is better
-- interval: logit
-- undefined: all rows have one class and are predicted to have it, or it is the slice of one class
-- formula:  (p_o - p_e) / (1 - p_e), p_o = accuracy, p_e = sum of actual_c predicted_c / n^2
-- tex:      \kappa = \frac{p_o - p_e}{1 - p_e} \qquad p_e = \frac{1}{n^2} \sum_{c=1}^{C} \mathrm{actual}_c \,
--           \mathrm{predicted}_c
-- symbols:  \kappa: the value of Cohen's kappa
--           p_o: the share of the rows whose right class is predicted
--           p_e: the share of right rows that chance alone gives
--           n: the number of rows
--           C: the number of classes
--           \mathrm{actual}_c: the number of rows of class c
--           \mathrm{predicted}_c: the number of rows that are predicted to have class c
-- source:   Cohen, Educational and Psychological Measurement 1960, doi:10.1177/001316446002000104
-- oracle:   sklearn cohen_kappa_score
-- example:  cohen_kappa() = 0.500000
-- worked:   (4 / 6 - (2 * 3 + 2 * 2 + 2 * 1) / 6^2) / (1 - (2 * 3 + 2 * 2 + 2 * 1) / 6^2) = 0.5
-- related:  mcc, accuracy, confusion_matrix
WITH agreement AS (
    SELECT
        system,
        segment,
        count(*) AS classes,
        sum(correct) / nullif(sum(actual), 0) AS observed,
        sum(actual * predicted) / nullif(sum(actual) * sum(actual), 0) AS expected
    FROM class_counts
    GROUP BY system, segment
)
SELECT system, segment, CASE WHEN classes > 1 THEN (observed - expected) / nullif(1 - expected, 0) END AS value
FROM agreement;
