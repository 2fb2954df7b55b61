-- name:     slice_names
-- title:    The columns by which results are split, from a list or from one text with commas
-- params:   by_columns VARCHAR
SELECT
    list_transform(
        CASE
            WHEN trim(coalesce(CAST($by_columns AS VARCHAR), ''), '[] ') = '' THEN []
            ELSE coalesce(
                TRY_CAST(CAST($by_columns AS VARCHAR) AS VARCHAR[]), string_split(CAST($by_columns AS VARCHAR), ',')
            )
        END, lambda name: trim(CAST(name AS VARCHAR))
    ) AS value;
