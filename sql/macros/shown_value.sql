-- name:     shown_value
-- title:    Value as an example shows it: NULL is None, and a text with blanks around it is quoted
-- params:   value VARCHAR
SELECT
    CASE
        WHEN $value IS NULL THEN 'None'
        WHEN typeof($value) <> 'VARCHAR' THEN CAST($value AS VARCHAR)
        WHEN CAST($value AS VARCHAR) = '' OR regexp_matches(CAST($value AS VARCHAR), '^\s|\s$')
            THEN '''' || CAST($value AS VARCHAR) || ''''
        ELSE CAST($value AS VARCHAR)
    END AS value;
