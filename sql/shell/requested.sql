-- name:     requested
-- title:    Names of the metrics asked for
-- params:   metrics VARCHAR
SELECT list_transform(asked_metrics($metrics), lambda metric: metric_name(metric)) AS value;
