-- name:     distinct_names
-- title:    Names of columns, each once
-- params:   names VARCHAR
SELECT
    list_filter($names, lambda name, place:
        list_position(list_transform($names, lambda other: lower(other)), lower(name)) = place) AS value;
