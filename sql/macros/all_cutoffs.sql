-- name:     all_cutoffs
-- title:    Cut-offs of the metrics asked for, NULL for a metric without one
-- params:   metrics VARCHAR
SELECT
    list_transform(
        asked_metrics($metrics), lambda metric: list_extract(cutoffs(metric_cutoff(metric)), 1)
    ) AS value;
