-- name:     has_names
-- title:    Whether columns are named, in a list or one text
-- params:   given VARCHAR
SELECT trim(coalesce(CAST($given AS VARCHAR), ''), '[] ') <> '' AS value;
