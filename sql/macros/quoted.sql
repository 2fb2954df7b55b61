-- name:     quoted
-- title:    SQL literal of an argument, for a query that a macro writes when it is called
-- params:   given VARCHAR
SELECT coalesce('''' || replace(CAST($given AS VARCHAR), '''', '''''') || '''', 'NULL') AS value;
