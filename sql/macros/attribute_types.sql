-- name:     attribute_types
-- title:    SQL text of the list of the types of the columns by which results are split
-- params:   names VARCHAR
SELECT
    '[' || coalesce(array_to_string(list_transform($names, lambda name, place:
        '_type_' || CAST(place AS VARCHAR)), ', '), '') || ']' AS value;
