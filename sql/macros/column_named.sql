-- name:     column_named
-- title:    SQL text of the column of a name, NULL if there is no name
-- params:   given VARCHAR
SELECT coalesce('"' || replace(CAST($given AS VARCHAR), '"', '""') || '"', 'NULL') AS value;
