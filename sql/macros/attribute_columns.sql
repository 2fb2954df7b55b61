-- name:     attribute_columns
-- title:    SQL text of the columns by which results are split; one that is not there is NULL
-- params:   names VARCHAR
-- note:     DuckDB 1.4 makes NULL of an empty list
SELECT
    coalesce(array_to_string(list_transform($names, lambda name:
        'coalesce(*COLUMNS(''' || replace(one_of(name), '''', '''''') || ''')) AS "' || replace(name, '"', '""')
        || '"'), ', '), '') AS value;
