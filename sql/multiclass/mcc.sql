-- name:     mcc
-- title:    Matthews correlation coefficient of several classes
-- meaning:  MCC is the correlation between the predicted class and the right one. It is high only if the predictions
--           are right for all classes.
-- use:      when all classes matter, and some are rare
-- beware:   with more than two classes, the smallest value lies between -1 and 0
-- reading:  1: the right class of every row is predicted
--           0: no better than random
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- grain:    system, segment
-- range:    [-1, 1], higher is better
-- interval: logit
-- undefined: all rows have one class or are predicted to have one class, or it is the slice of one class
-- formula:  (n correct - sum of actual_c predicted_c) / sqrt((n^2 - sum of actual_c^2) (n^2 - sum of
--           predicted_c^2))
-- tex:      \mathrm{MCC} = \frac{n \, \mathrm{correct} - \sum_{c} \mathrm{actual}_c \, \mathrm{predicted}_c}
--           {\sqrt{n^2 - \sum_{c} \mathrm{actual}_c^2} \sqrt{n^2 - \sum_{c} \mathrm{predicted}_c^2}}
-- symbols:  n: the number of rows
--           \mathrm{correct}: the number of rows whose right class is predicted
--           \mathrm{actual}_c: the number of rows of class c
--           \mathrm{predicted}_c: the number of rows that are predicted to have class c
-- source:   Gorodkin, Computational Biology and Chemistry 2004, doi:10.1016/j.compbiolchem.2004.09.006
-- oracle:   sklearn matthews_corrcoef
-- example:  mcc() = 0.522233
-- worked:   (6 * 4 - (2 * 3 + 2 * 2 + 2 * 1)) / (sqrt(6^2 - 12) * sqrt(6^2 - 14)) = 0.5222
-- related:  cohen_kappa, balanced_accuracy, confusion_matrix
-- note:     scikit-learn returns 0 where this value is NULL
WITH agreement AS (
    SELECT
        system,
        segment,
        count(*) AS classes,
        sum(actual) AS n,
        sum(correct) AS correct,
        sum(actual * predicted) AS chance,
        sum(actual * actual) AS squares,
        sum(predicted * predicted) AS predicted_squares
    FROM class_counts
    GROUP BY system, segment
)
SELECT
    system,
    segment,
    CASE
        WHEN classes > 1
            THEN (n * correct - chance) / nullif(sqrt(n * n - squares) * sqrt(n * n - predicted_squares), 0)
    END AS value
FROM agreement;
