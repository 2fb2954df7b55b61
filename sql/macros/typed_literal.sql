-- name:     typed_literal
-- title:    SQL literal of an argument in its own type, for a query that a macro writes when it is called
-- params:   given VARCHAR
-- note:     format returns NULL if an argument is NULL
SELECT
    coalesce(
        format('CAST(''{}'' AS {})', replace(CAST($given AS VARCHAR), '''', ''''''), typeof($given)), 'NULL'
    ) AS value;
