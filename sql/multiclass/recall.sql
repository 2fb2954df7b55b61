-- name:     recall
-- title:    Recall, averaged over the classes
-- meaning:  The recall of a class is the share of its rows that are predicted to have it. This is its average over the
--           classes.
-- use:      when a row of a class must not be missed
-- beware:   with weighted and micro, recall of all classes is the accuracy; macro is another number if some classes are
--           rare
-- reading:  1: every row is predicted to have its class
--           0: no row is predicted to have its class
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- params:   average VARCHAR DEFAULT 'macro' CHECK (average IN ('macro', 'weighted', 'micro'))
-- values:   average: as in relations/multiclass/class_thresholds
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: logit
-- formula:  mean of correct_c / actual_c over the classes that have rows or are predicted
-- tex:      \mathrm{recall} = \frac{1}{C} \sum_{c=1}^{C} \frac{\mathrm{correct}_c}{\mathrm{actual}_c}
-- symbols:  C: the number of classes that have rows or are predicted
--           \mathrm{correct}_c: the number of rows of class c that are predicted right
--           \mathrm{actual}_c: the number of rows of class c
-- source:   Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002
-- oracle:   sklearn recall_score
-- example:  recall() = 0.666667
-- worked:   (2 / 2 + 1 / 2 + 1 / 2) / 3 = 0.6667
-- related:  precision, f_beta, balanced_accuracy
-- note:     a class that is predicted and has no row counts as 0, as in scikit-learn
WITH classes AS (
    SELECT system, segment, actual, predicted, correct, coalesce(correct / nullif(actual, 0), 0) AS value
    FROM class_counts
    WHERE actual > 0 OR predicted > 0
)
SELECT
    system,
    segment,
    CASE $average
        WHEN 'macro' THEN avg(value)
        WHEN 'weighted' THEN sum(actual * value) / nullif(sum(actual), 0)
        ELSE sum(correct) / nullif(sum(actual), 0)
    END AS value
FROM classes
GROUP BY system, segment;
