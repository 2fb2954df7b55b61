-- name:     table_label
-- title:    Name of a table argument in messages: as it was given, or the beginning of a query
-- params:   source VARCHAR
SELECT
    CASE
        WHEN regexp_matches(
            CAST($source AS VARCHAR),
            '(?is)^(sql:|\s*(--|/\*|\(|(select|from|with|values|pivot|unpivot|describe)[\s"''*(]))'
        ) THEN 'sql:' || left(trim(regexp_replace(
            regexp_replace(CAST($source AS VARCHAR), '^sql:', ''), '\s+', ' ', 'g'
        )), 40)
        ELSE regexp_replace(CAST($source AS VARCHAR), '^(table|file):', '')
    END AS value;
