-- name:     asked_metrics
-- title:    Texts of the metrics asked for, from a list or from one text with commas
-- params:   metrics VARCHAR
SELECT
    list_transform(
        CASE
            WHEN coalesce(trim(CAST($metrics AS VARCHAR)), '') IN ('', '[]')
                THEN [error('duckmetrics: no metric; name at least one, such as ndcg@10')]
            ELSE coalesce(
                TRY_CAST(CAST($metrics AS VARCHAR) AS VARCHAR[]),
                -- A comma in parentheses separates parameters.
                CASE
                    WHEN contains(CAST($metrics AS VARCHAR), '(')
                        THEN regexp_extract_all(CAST($metrics AS VARCHAR), '[^,()]+(\([^()]*\)[^,()]*)?')
                    ELSE string_split(CAST($metrics AS VARCHAR), ',')
                END
            )
        END, lambda metric: trim(metric)
    ) AS value;
