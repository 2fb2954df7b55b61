-- name:     quoted
-- title:    An argument as SQL text, for a query that is written when a macro is called
-- params:   given VARCHAR
SELECT coalesce('''' || replace(CAST($given AS VARCHAR), '''', '''''') || '''', 'NULL') AS value;
