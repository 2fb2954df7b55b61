-- name:     f_beta
-- alias:    f1 (beta = 1)
-- title:    F-beta, averaged over the classes
-- meaning:  F-beta of a class combines its precision and its recall in one number. This is its average over the
--           classes.
-- use:      when you need one number for all classes, and rare classes matter
-- beware:   macro F1 is the mean of the F1 of the classes, not the F1 of the mean precision and the mean recall
-- reading:  1: the class of every row is predicted right
--           0: the class of no row is predicted right
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- params:   beta DOUBLE CHECK (beta > 0),
--           average VARCHAR DEFAULT 'macro' CHECK (average IN ('macro', 'weighted', 'micro'))
-- values:   beta: as in ranking/f_beta
--           average: as in relations/multiclass/class_thresholds
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: logit
-- formula:  mean of (1 + beta^2) correct_c / (beta^2 actual_c + predicted_c) over the classes that have rows or are
--           predicted
-- tex:      F_\beta = \frac{1}{C} \sum_{c=1}^{C} \frac{(1 + \beta^2) \mathrm{correct}_c}{\beta^2 \mathrm{actual}_c +
--           \mathrm{predicted}_c}
-- symbols:  \beta: the factor by which recall counts more than precision
--           C: the number of classes that have rows or are predicted
--           \mathrm{correct}_c: the number of rows of class c that are predicted right
--           \mathrm{actual}_c: the number of rows of class c
--           \mathrm{predicted}_c: the number of rows that are predicted to have class c
-- source:   Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002
-- oracle:   sklearn fbeta_score
-- example:  f_beta(beta := 1) = 0.655556
-- worked:   (2 * 2 / (2 + 3) + 2 * 1 / (2 + 2) + 2 * 1 / (2 + 1)) / 3 = 0.6556
-- related:  precision, recall, accuracy
WITH classes AS (
    SELECT
        system, segment, actual, predicted, correct,
        (1 + $beta * $beta) * correct / ($beta * $beta * actual + predicted) AS value
    FROM class_counts
    WHERE actual > 0 OR predicted > 0
)
SELECT
    system,
    segment,
    CASE $average
        WHEN 'macro' THEN avg(value)
        WHEN 'weighted' THEN sum(actual * value) / nullif(sum(actual), 0)
        ELSE (1 + $beta * $beta) * sum(correct) / nullif($beta * $beta * sum(actual) + sum(predicted), 0)
    END AS value
FROM classes
GROUP BY system, segment;
