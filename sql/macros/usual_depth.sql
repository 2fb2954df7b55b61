-- name:     usual_depth
-- title:    SQL text of the largest cut-off; NULL if a metric has no cut-off
-- params:   asked VARCHAR
SELECT
    CASE
        WHEN list_bool_and(list_transform($asked, lambda metric: contains(metric, '@')))
            THEN coalesce(CAST(list_max(list_transform(
                $asked, lambda metric: TRY_CAST(split_part(metric, '@', 2) AS INTEGER)
            )) AS VARCHAR), 'NULL')
        ELSE 'NULL'
    END AS value;
