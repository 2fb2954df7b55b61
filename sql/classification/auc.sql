-- name:     auc
-- alias:    roc_auc, auroc
-- title:    Area under the ROC curve
-- usual:    auc
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   approx INTEGER DEFAULT NULL CHECK (approx > 1)
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: logit
-- influence: auc_influence
-- formula:  (sum of the ranks of the positives - P (P + 1) / 2) / (P N), tied scores share their average rank
-- source:   Mann and Whitney, Annals of Mathematical Statistics 1947, doi:10.1214/aoms/1177730491
-- oracle:   sklearn roc_auc_score
-- example:  auc() = 0.859259
-- note:     exact unless approx=B is set: then the scores are put into B bins of equal width, and the exact value
--           lies between lower and upper
SELECT
    system,
    segment,
    (won + tied / 2) / nullif(positives * negatives, 0) AS value,
    CASE WHEN $approx IS NOT NULL THEN won / nullif(positives * negatives, 0) END AS lower,
    CASE WHEN $approx IS NOT NULL THEN (won + tied) / nullif(positives * negatives, 0) END AS upper
FROM pairs;
