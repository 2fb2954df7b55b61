-- name:     reversed_score
-- title:    values below 0.5 by more than chance: rows of the negative class score higher
-- for:      auc
-- severity: warning
-- why:      the score may be for the other class, or the labels may be swapped
-- column:   predictions.score
-- inputs:   metric (system, value, n, n_positive)
-- advice:   check that a higher score means the positive class and that the labels are not swapped; negate the score
--           if it is for the negative class
-- source:   Mann and Whitney, Annals of Mathematical Statistics 1947, doi:10.1214/aoms/1177730491
-- note:     chance: three standard deviations of the AUC of a random score, sqrt((n + 1) / (12 P N))
SELECT system, value, n, n_positive
FROM metric
WHERE value < 0.5e0 - 3 * sqrt((n + 1) / nullif(12e0 * n_positive * (n - n_positive), 0));
