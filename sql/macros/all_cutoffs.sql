-- name:     all_cutoffs
-- title:    Cut-offs of the metrics asked for, NULL where one has none
-- params:   metrics VARCHAR
SELECT
    list_transform(
        asked_metrics($metrics), lambda metric: list_extract(cutoffs(metric_cutoff(metric)), 1)
    ) AS value;
