-- name:     attribute_nulls
-- title:    SQL text of the condition that all columns by which results are split are NULL
-- params:   names VARCHAR
SELECT
    coalesce(array_to_string(list_transform($names, lambda name:
        '_attributes[''' || replace(name, '''', '''''') || '''] IS NULL'), ' AND '), '') AS value;
