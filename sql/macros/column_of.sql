-- name:     column_of
-- title:    SQL text of a column by its name, NULL if there is none of that name; or of an expression as it is
-- params:   given VARCHAR
-- note:     a text with a blank or an operator in it is an expression
SELECT
    CASE
        WHEN $given IS NULL THEN 'NULL'
        WHEN regexp_matches(CAST($given AS VARCHAR), '[-\s()+*/<>=!|&%,:;''"]')
            THEN '(' || CAST($given AS VARCHAR) || ')'
        ELSE 'coalesce(*COLUMNS(''(?i)^(_duckmetrics_none|' || regexp_escape(CAST($given AS VARCHAR)) || ')$''))'
    END AS value;
