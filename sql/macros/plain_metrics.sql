-- name:     plain_metrics
-- title:    Metrics asked for without the parameters in parentheses
-- params:   asked VARCHAR
SELECT
    list_transform(
        $asked, lambda metric: replace(regexp_replace(metric, '\([^()]*\)', ''), ' ', '')
    ) AS value;
