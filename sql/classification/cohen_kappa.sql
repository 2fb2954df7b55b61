-- name:     cohen_kappa
-- alias:    kappa
-- title:    Cohen's kappa, agreement beyond chance
-- meaning:  Kappa measures how often the predicted class agrees with the label, beyond the agreement that chance
--           alone gives.
-- use:      when accuracy misleads because one class is much more common
-- beware:   the value depends on the base rate and on the share of rows predicted positive; values of different data
--           sets are not comparable
-- reading:  1: every predicted class is right
--           0: the agreement is as large as chance alone gives
--           below 0: the agreement is smaller than chance alone gives
--           -1: every predicted class is wrong, and both classes are equally common
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   threshold DOUBLE DEFAULT 0.5
-- grain:    system, segment
-- range:    [-1, 1], higher is better
-- undefined: all rows have one class and are predicted that class
-- formula:  (p_o - p_e) / (1 - p_e), p_e = ((TP+FP)(TP+FN) + (TN+FP)(TN+FN)) / n^2
-- tex:      \kappa = \frac{p_o - p_e}{1 - p_e} \qquad p_e = \frac{(\mathrm{TP} + \mathrm{FP}) (\mathrm{TP} +
--           \mathrm{FN}) + (\mathrm{TN} + \mathrm{FP}) (\mathrm{TN} + \mathrm{FN})}{n^2}
-- symbols:  \kappa: the value of Cohen's kappa
--           p_o: the share of the rows that are classified right
--           p_e: the share of right rows that chance alone gives
--           \mathrm{TP}: the number of positives that are predicted positive
--           \mathrm{FP}: the number of negatives that are predicted positive
--           \mathrm{FN}: the number of positives that are predicted negative
--           \mathrm{TN}: the number of negatives that are predicted negative
--           n: the number of rows
-- source:   Cohen, Educational and Psychological Measurement 1960, doi:10.1177/001316446002000104
-- oracle:   sklearn cohen_kappa_score
-- example:  cohen_kappa(threshold := 0.3) = 0.416667
-- worked:   (17 / 24 - (12 * 9 + 15 * 12) / 24^2) / (1 - (12 * 9 + 15 * 12) / 24^2) = 0.4167
-- related:  mcc, accuracy, balanced_accuracy, confusion
WITH agreement AS (
    SELECT
        system,
        segment,
        (tp + tn) / nullif(tp + fp + fn + tn, 0) AS observed,
        ((tp + fp) * (tp + fn) + (tn + fp) * (tn + fn))
            / nullif((tp + fp + fn + tn) * (tp + fp + fn + tn), 0) AS expected
    FROM confusion
)
SELECT system, segment, (observed - expected) / nullif(1 - expected, 0) AS value
FROM agreement;
