-- name:     accuracy
-- title:    Share of the rows whose right class is predicted
-- meaning:  Accuracy of several classes is the share of the rows whose right class has the highest score, or one of
--           the k highest.
-- use:      when the classes are about equally common and each error costs the same
-- beware:   a model that predicts the most common class for every row reaches the share of this class; look at
--           balanced_accuracy, too
-- reading:  1: the right class of every row is predicted
--           share of the most common class: no better than to predict this class for every row
--           0: the right class of no row is predicted
-- usual:    accuracy
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- params:   k INTEGER DEFAULT 1 CHECK (k > 0)
-- values:   k: the number of classes that are predicted for a row
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: proportion
-- formula:  rows whose right class is at place k or before / rows
-- tex:      \mathrm{accuracy} = \frac{1}{n} \sum_{i=1}^{n} [r_i \le k]
-- symbols:  n: the number of rows
--           r_i: the place of the right class of row i, 1 for the highest score
-- source:   Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002
-- oracle:   sklearn accuracy_score
-- example:  accuracy() = 0.666667
-- worked:   4 / 6 = 0.6667
-- related:  balanced_accuracy, f_beta, cohen_kappa, confusion_matrix
-- note:     of classes with equal scores, the one that is named first comes first; in the slice of a class, the value
--           is the share of its own rows, the recall
SELECT
    system,
    segment,
    sum(CASE WHEN place <= $k THEN weight * label ELSE 0e0 END) / nullif(sum(weight * label), 0) AS value
FROM classified
GROUP BY system, segment;
