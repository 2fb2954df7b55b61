-- name:     read_again
-- title:    SQL text that reads the table of an argument, for advice
-- params:   source VARCHAR
SELECT
    CASE
        WHEN regexp_matches(CAST($source AS VARCHAR), '(?is)^(sql:|\s*(select|from|with)\s|\s*\()')
            THEN '(' || regexp_replace(CAST($source AS VARCHAR), '^sql:', '') || ')'
        ELSE quoted(regexp_replace(CAST($source AS VARCHAR), '^(table|file):', ''))
    END AS value;
