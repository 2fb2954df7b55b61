-- name:     plain_metrics
-- title:    Metrics asked for without the parameters in parentheses
-- params:   metrics VARCHAR
SELECT
    list_transform(
        asked_metrics($metrics), lambda metric: replace(regexp_replace(metric, '\([^()]*\)', ''), ' ', '')
    ) AS value;
