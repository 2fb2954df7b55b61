-- name:     cutoffs
-- title:    Cut-offs asked for, one or a list
-- params:   k VARCHAR DEFAULT NULL
-- note:     NULL: no cut-off; 0 stands for a value that is not a whole number, which is an error
SELECT
    list_transform(
        listed($k),
        lambda cutoff: CASE
            WHEN cutoff IS NULL THEN NULL
            WHEN regexp_full_match(cutoff, '\d+') THEN coalesce(TRY_CAST(cutoff AS INTEGER), 0)
            ELSE 0
        END
    ) AS value;
