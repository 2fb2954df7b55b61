-- name:     auc
-- alias:    roc_auc, auroc
-- title:    AUC of each class against the rest, averaged over the classes
-- meaning:  The AUC of a class is the probability that a random row of it has a higher score for the class than a
--           random other row. This is its average over the classes.
-- use:      when the order of the scores matters and not their values
-- beware:   the averages answer different questions; the scores of one class are compared between rows, so that it does
--           not say which class of a row has the highest score
-- reading:  1: of each class, every row has a higher score for it than every other row
--           0.5: no better than random scores
--           0: of each class, every row has a lower score for it than every other row
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- params:   average VARCHAR DEFAULT 'macro' CHECK (average IN ('macro', 'weighted', 'micro'))
-- values:   average: as in relations/multiclass/class_thresholds
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: logit
-- influence: auc_influence
-- undefined: no class has rows while other rows have another class
-- formula:  mean of (won_c + tied_c / 2) / (P_c N_c) over the classes
-- tex:      \mathrm{AUC} = \frac{1}{C} \sum_{c=1}^{C} \frac{\mathrm{won}_c + \frac{1}{2} \mathrm{tied}_c}{P_c N_c}
-- symbols:  C: the number of classes with an AUC
--           \mathrm{won}_c: the number of pairs in which the row of class c has the higher score for it
--           \mathrm{tied}_c: the number of pairs with equal scores
--           P_c: the number of rows of class c
--           N_c: the number of the other rows
-- source:   Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010
-- oracle:   sklearn roc_auc_score
-- example:  auc() = 0.875000
-- worked:   (7 / 8 + 6 / 8 + 8 / 8) / 3 = 0.8750
-- related:  average_precision, accuracy
-- note:     a class without rows, or of all rows, has no AUC; it is left out and counted in n_undefined
WITH classes AS (
    SELECT system, segment, positives AS rows_of_class, won / nullif(positives * negatives, 0) AS auc
    FROM class_pairs
)
SELECT
    system,
    segment,
    CASE $average
        WHEN 'weighted' THEN sum(rows_of_class * auc) / nullif(sum(rows_of_class) FILTER (WHERE auc IS NOT NULL), 0)
        ELSE avg(auc)
    END AS value,
    count(*) FILTER (WHERE auc IS NULL) AS n_undefined
FROM classes
GROUP BY system, segment;
