-- name:     asked_metrics
-- title:    Texts of the metrics asked for, from a list or from one text with commas
-- params:   metrics VARCHAR
SELECT
    list_transform(
        CASE
            WHEN coalesce(trim(CAST($metrics AS VARCHAR)), '') IN ('', '[]')
                THEN [error('duckmetrics: no metric; name at least one, such as ndcg@10')]
            ELSE coalesce(
                TRY_CAST(CAST($metrics AS VARCHAR) AS VARCHAR[]), string_split(CAST($metrics AS VARCHAR), ',')
            )
        END, lambda metric: trim(metric)
    ) AS value;
