-- name:     classification_results
-- title:    The value of a metric of rows as results show it, and why there is none
-- inputs:   summary (system, segment, value, n, counted, n_positive, is_binary, undefined, infinite)
-- grain:    system, segment
-- note:     n counts the rows, counted those that take part, and n_positive the positive ones of these. is_binary
--           says whether the metric needs two classes; undefined and infinite are what its header says, or NULL.
--           A value that overflows is NULL, unless the metric may be infinite
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
