-- name:     classification_results
-- title:    Value of a metric of rows as results show it, or the reason why there is none
-- inputs:   summary (system, segment, value, n, counted, n_positive, is_binary, undefined, infinite)
-- grain:    system, segment
-- note:     n is the number of rows, counted the number of rows that take part, and n_positive the number of
--           positives among these. is_binary is true if the metric needs two classes; undefined and infinite are the
--           texts of its header, or NULL. A value that overflows is NULL, unless the metric may be infinite
SELECT
    system,
    segment,
    CASE WHEN isfinite(value) OR infinite IS NOT NULL THEN value END AS value,
    CASE
        WHEN isfinite(value) THEN NULL
        WHEN infinite IS NOT NULL AND value IS NOT NULL THEN infinite
        WHEN value IS NOT NULL THEN 'the values overflow'
        WHEN coalesce(n, 0) = 0 THEN 'no rows'
        WHEN coalesce(counted, 0) = 0 THEN 'no row has a weight'
        WHEN is_binary AND undefined IS NULL AND n_positive = 0 THEN 'one class only: no positive row'
        WHEN is_binary AND undefined IS NULL AND n_positive = counted THEN 'one class only: no negative row'
        ELSE coalesce(undefined, 'it is not defined for these rows')
    END AS reason
FROM summary;
