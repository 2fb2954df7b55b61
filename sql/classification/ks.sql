-- name:     ks
-- title:    Kolmogorov-Smirnov distance of the scores of both classes
-- meaning:  KS is the largest distance between the score distributions of the positives and of the negatives. It
--           shows how well one threshold can separate the two classes.
-- use:      when one threshold splits the rows into two groups, as in credit scoring
-- beware:   scores in the wrong direction give the same value, because the sign is lost; on small samples the value
--           is too high
-- reading:  1: one threshold separates the two classes completely
--           0.5: at the best threshold, the two rates differ by 50 percentage points
--           0: the scores of both classes have the same distribution
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: none, it is a maximum: every resample adds noise, and the samples lie above the true value
-- formula:  max over thresholds of |TPR - FPR|
-- tex:      \mathrm{KS} = \max_{t} |\mathrm{TPR}(t) - \mathrm{FPR}(t)|
-- symbols:  t: a threshold; each distinct score is one
--           \mathrm{TPR}(t): the share of the positives with a score of t or higher
--           \mathrm{FPR}(t): the share of the negatives with a score of t or higher
-- source:   Kolmogorov 1933; Smirnov 1948, doi:10.1214/aoms/1177730256
-- oracle:   scipy ks_2samp
-- example:  ks() = 0.555556
-- worked:   8 / 9 - 5 / 15 = 0.5556
-- related:  auc, roc_curve, tpr_at_fpr, max_f1
SELECT system, segment, max(abs(tp / nullif(p, 0) - fp / nullif(n, 0))) AS value
FROM thresholds
GROUP BY system, segment;
