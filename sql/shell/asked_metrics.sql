-- name:     asked_metrics
-- title:    Texts of the metrics asked for, from a list or from one text with commas
-- params:   metrics VARCHAR
SELECT
    list_transform(
        coalesce(TRY_CAST(CAST($metrics AS VARCHAR) AS VARCHAR[]), string_split(CAST($metrics AS VARCHAR), ',')),
        lambda metric: trim(metric)
    ) AS value;
