-- name:     balanced_accuracy
-- title:    Mean recall of the classes
-- meaning:  Balanced accuracy is the share of right rows in each class, averaged over the classes. A rare class counts
--           as much as a common one.
-- use:      when some classes are rare
-- beware:   the recall of a class with few rows varies much, and counts as much as that of the others
-- reading:  1: the right class of every row is predicted
--           1 / number of classes: no better than to predict one class for every row
--           0: the right class of no row is predicted
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: logit
-- formula:  mean of correct_c / actual_c over the classes that have rows
-- tex:      \mathrm{balanced\ accuracy} = \frac{1}{C} \sum_{c=1}^{C} \frac{\mathrm{correct}_c}{\mathrm{actual}_c}
-- symbols:  C: the number of classes that have rows
--           \mathrm{correct}_c: the number of rows of class c that are predicted right
--           \mathrm{actual}_c: the number of rows of class c
-- source:   Brodersen et al., ICPR 2010, doi:10.1109/ICPR.2010.764
-- oracle:   sklearn balanced_accuracy_score
-- example:  balanced_accuracy() = 0.666667
-- worked:   (2 / 2 + 1 / 2 + 1 / 2) / 3 = 0.6667
-- related:  accuracy, recall, mcc
SELECT system, segment, avg(correct / nullif(actual, 0)) AS value
FROM class_counts
GROUP BY system, segment;
