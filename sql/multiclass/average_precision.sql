-- name:     average_precision
-- alias:    ap, pr_auc
-- title:    Average precision of each class against the rest, averaged over the classes
-- meaning:  The average precision of a class is high if most rows with high scores for it have the class. This is its
--           average over the classes.
-- use:      when classes are rare and the rows with the highest scores matter most
-- beware:   the value of a class grows with the share of its rows; do not compare data sets in which other classes are
--           common
-- reading:  1: of each class, every row has a higher score for it than every other row
--           share of the class: no better than random scores
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- params:   average VARCHAR DEFAULT 'macro' CHECK (average IN ('macro', 'weighted', 'micro'))
-- values:   average: as in relations/multiclass/class_thresholds
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- undefined: no class has rows
-- formula:  mean over the classes of the sum over distinct scores, descending, of (R - previous R) P
-- tex:      \mathrm{AP} = \frac{1}{C} \sum_{c=1}^{C} \sum_{s} (R_{cs} - R_{c,s-1}) P_{cs}
-- symbols:  C: the number of classes that have rows
--           s: a distinct score for class c, in descending order
--           R_{cs}: the recall of class c at score s
--           P_{cs}: the precision of class c at score s
-- source:   Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874
-- oracle:   sklearn average_precision_score
-- example:  average_precision() = 0.861111
-- worked:   ((1/1 + 2/3) / 2 + (1/1 + 2/4) / 2 + (1/1 + 2/2) / 2) / 3 = 0.8611
-- related:  auc, f_beta
-- note:     a class without rows is left out and counted in n_undefined; scikit-learn counts it as 0
WITH classes AS (
    SELECT
        system,
        segment,
        class,
        max(p) AS rows_of_class,
        sum(positives / nullif(p, 0) * tp / nullif(tp + fp, 0)) AS precision
    FROM class_thresholds
    GROUP BY system, segment, class
)
SELECT
    system,
    segment,
    CASE $average
        WHEN 'weighted' THEN sum(rows_of_class * precision) / nullif(sum(rows_of_class), 0)
        ELSE avg(precision)
    END AS value,
    count(*) FILTER (WHERE precision IS NULL) AS n_undefined
FROM classes
GROUP BY system, segment;
