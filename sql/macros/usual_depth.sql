-- name:     usual_depth
-- title:    Largest cut-off of the metrics asked for, NULL if one has none
-- params:   asked VARCHAR
SELECT
    CASE
        WHEN list_bool_and(list_transform($asked, lambda metric: metric_cutoff(metric) IS NOT NULL))
            THEN list_max(list_transform($asked, lambda metric: TRY_CAST(metric_cutoff(metric) AS INTEGER)))
    END AS value;
