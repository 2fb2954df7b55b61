-- name:     seen_number
-- title:    A number as a check of the rows sees it: NULL for what cannot be read
-- params:   value DOUBLE
-- note:     whether the type is that of a number is a finding of its own; here nothing is refused
SELECT
    CASE
        WHEN is_number(typeof($value)) OR typeof($value) = 'BOOLEAN' THEN grade($value, '')
        ELSE TRY_CAST(CAST($value AS VARCHAR) AS DOUBLE)
    END AS value;
