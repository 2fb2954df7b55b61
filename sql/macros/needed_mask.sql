-- name:     needed_mask
-- title:    The steps that the metrics asked for need, a bit for each
-- params:   asked VARCHAR,
--           names VARCHAR,
--           masks INTEGER
SELECT
    list_aggregate(
        list_transform($asked, lambda metric: list_extract($masks, list_position($names, metric_key(metric)))),
        'bit_or'
    ) AS value;
