-- name:     unknown_metric
-- title:    Message about the first unknown metric of a list, NULL if all are known
-- params:   metrics VARCHAR,
--           names VARCHAR,
--           others VARCHAR
-- note:     | separates the names; others are as in other_macro
SELECT
    list_extract(list_transform(
        list_filter(
            asked_metrics($metrics), lambda metric: NOT list_contains(string_split($names, '|'), metric_name(metric))
        ),
        lambda metric: '''' || metric || ''' is not a metric here; ' || coalesce(
            other_macro(metric_name(metric), $others), 'did you mean ''' || likely(metric, $names) || '''?'
        )
    ), 1) AS value;
