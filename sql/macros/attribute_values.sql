-- name:     attribute_values
-- title:    SQL text of a struct of the columns by which results are split
-- params:   names VARCHAR
-- note:     DuckDB 1.4 turns an empty list into NULL
SELECT
    '{' || coalesce(array_to_string(list_transform($names, lambda name:
        '''' || replace(name, '''', '''''') || ''': "' || replace(name, '"', '""') || '"'), ', '), '') || '}' AS value;
