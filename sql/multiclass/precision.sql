-- name:     precision
-- title:    Precision, averaged over the classes
-- meaning:  The precision of a class is the share of the rows predicted to have it that do have it. This is its average
--           over the classes.
-- use:      when a wrong prediction of a class is costly
-- beware:   the averages answer different questions: macro gives a rare class the weight of a common one; with weighted
--           and micro, common classes decide
-- reading:  1: every row has the class that is predicted
--           0: no row has the class that is predicted
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- params:   average VARCHAR DEFAULT 'macro' CHECK (average IN ('macro', 'weighted', 'micro'))
-- values:   average: as in relations/multiclass/class_thresholds
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: logit
-- formula:  mean of correct_c / predicted_c over the classes that have rows or are predicted
-- tex:      \mathrm{precision} = \frac{1}{C} \sum_{c=1}^{C} \frac{\mathrm{correct}_c}{\mathrm{predicted}_c}
-- symbols:  C: the number of classes that have rows or are predicted
--           \mathrm{correct}_c: the number of rows of class c that are predicted right
--           \mathrm{predicted}_c: the number of rows that are predicted to have class c
-- source:   Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002
-- oracle:   sklearn precision_score
-- example:  precision() = 0.722222
-- worked:   (2 / 3 + 1 / 2 + 1 / 1) / 3 = 0.7222
-- related:  recall, f_beta, confusion_matrix
-- note:     a class that has rows and is never predicted counts as 0, as in scikit-learn
WITH classes AS (
    SELECT system, segment, actual, predicted, correct, coalesce(correct / nullif(predicted, 0), 0) AS value
    FROM class_counts
    WHERE actual > 0 OR predicted > 0
)
SELECT
    system,
    segment,
    CASE $average
        WHEN 'macro' THEN avg(value)
        WHEN 'weighted' THEN sum(actual * value) / nullif(sum(actual), 0)
        ELSE sum(correct) / nullif(sum(predicted), 0)
    END AS value
FROM classes
GROUP BY system, segment;
