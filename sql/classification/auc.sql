-- name:     auc
-- alias:    roc_auc, auroc
-- title:    Area under the ROC curve
-- meaning:  AUC is the probability that a random positive has a higher score than a random negative. It measures the
--           order of the scores, not their values.
-- use:      when the order of the rows matters and no threshold is fixed yet
-- beware:   scores that are far from the true probabilities can have a perfect AUC; if positives are rare, a high AUC
--           can go with a low precision
-- reading:  1: every positive has a higher score than every negative
--           0.5: no better than random scores
--           0: every positive has a lower score than every negative
-- usual:    auc
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   approx INTEGER DEFAULT NULL CHECK (approx > 1)
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: logit
-- influence: auc_influence
-- contribution: auc_contributions
-- formula:  (sum of the ranks of the positives - P (P + 1) / 2) / (P N), tied scores share their average rank
-- tex:      \mathrm{AUC} = \frac{\sum_{i=1}^{P} r_i - \frac{P (P + 1)}{2}}{P N}
-- symbols:  P: the number of positives
--           N: the number of negatives
--           r_i: the rank of positive i among all rows, 1 for the lowest score; tied scores share their average rank
-- source:   Mann and Whitney, Annals of Mathematical Statistics 1947, doi:10.1214/aoms/1177730491
-- oracle:   sklearn roc_auc_score
-- example:  auc() = 0.859259
-- worked:   (8.5 + 12 + 14 + 17 + 19.5 + 21 + 22 + 23 + 24 - 9 * 10 / 2) / (9 * 15) = 0.8593
-- related:  gauc, average_precision, partial_auc, roc_curve, delong
-- note:     the value is exact, unless approx=B is set: the scores then go into B bins of equal width, and the exact
--           value lies between lower and upper
SELECT
    system,
    segment,
    (won + tied / 2) / nullif(positives * negatives, 0) AS value,
    CASE WHEN $approx IS NOT NULL THEN won / nullif(positives * negatives, 0) END AS lower,
    CASE WHEN $approx IS NOT NULL THEN (won + tied) / nullif(positives * negatives, 0) END AS upper
FROM pairs;
