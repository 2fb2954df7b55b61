-- name:     one_class
-- title:    slices with only one class, for which metrics that need both classes have no value
-- for:      pairs, thresholds
-- severity: warning
-- why:      AUC compares positives with negatives, so it needs both
-- column:   predictions.label
-- inputs:   predictions (system, segment, label, weight)
-- advice:   check the label column and how the rows were chosen
SELECT system, segment, n, n_positive
FROM segments
WHERE system IS NOT NULL AND (n_positive = 0 OR n_positive = n);
