-- name:     confusion_matrix
-- title:    Confusion matrix of several classes
-- meaning:  The confusion matrix counts, for each right class, the rows by the class that is predicted. It shows which
--           classes are taken for each other.
-- use:      to see which classes the model mixes up
-- beware:   with weights, the counts are sums of weights; pairs of classes without rows are left out
-- reading:  actual = predicted: the rows whose right class is predicted
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- chart:    confusion
-- grain:    system, segment, actual, predicted
-- formula:  the number of rows of each right class and each predicted class
-- source:   Kohavi and Provost, Machine Learning 1998, doi:10.1023/A:1017181826899
-- related:  accuracy, precision, recall
WITH pairs_of_classes AS (
    SELECT system, segment, actual, class AS predicted, sum(weight) AS n
    FROM classified
    WHERE place = 1
    GROUP BY system, segment, actual, class
)
SELECT
    system, segment, actual, predicted, n,
    n / sum(n) OVER (PARTITION BY system, segment, actual) AS share
FROM pairs_of_classes
ORDER BY system, segment, actual, predicted;
