-- name:     attribute_columns
-- title:    SQL text of the columns by which results are split, and of their types; a missing column is NULL
-- params:   names VARCHAR
-- note:     DuckDB 1.4 turns an empty list into NULL, and forgets the type "NULL" after the step that reads a table
SELECT
    coalesce(array_to_string(list_transform($names, lambda name, place:
        'coalesce(*COLUMNS(''' || replace(one_of(name), '''', '''''') || ''')) AS "' || replace(name, '"', '""')
        || '", typeof(coalesce(*COLUMNS(''' || replace(one_of(name), '''', '''''') || '''))) AS _type_'
        || CAST(place AS VARCHAR)), ', '), '') AS value;
