-- name:     slice_names
-- title:    The columns by which results are split, from a list or from one text with commas
-- params:   given VARCHAR
SELECT
    list_transform(
        CASE
            WHEN trim(coalesce(CAST($given AS VARCHAR), ''), '[] ') = '' THEN CAST([] AS VARCHAR[])
            ELSE coalesce(
                TRY_CAST(CAST($given AS VARCHAR) AS VARCHAR[]), string_split(CAST($given AS VARCHAR), ',')
            )
        END, lambda name: trim(name)
    ) AS value;
