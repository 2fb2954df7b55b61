-- name:     seen_number
-- title:    Number as a check of the rows reads it, NULL if it cannot be read
-- params:   value DOUBLE
-- note:     another finding reports a type that is not a number; this macro does not refuse it
SELECT
    CASE
        WHEN is_number(typeof($value)) OR typeof($value) = 'BOOLEAN' THEN grade($value, '')
        ELSE TRY_CAST(CAST($value AS VARCHAR) AS DOUBLE)
    END AS value;
