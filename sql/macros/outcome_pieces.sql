-- name:     outcome_pieces
-- title:    SQL text of every outcome of some kinds, separated by commas
-- params:   outcomes VARCHAR,
--           kinds VARCHAR,
--           parts VARCHAR
-- note:     parts are those of the text of one outcome; the part {value} becomes the name of its column, and so on
SELECT
    coalesce(array_to_string(list_transform(
        list_filter($outcomes, lambda one: list_contains($kinds, outcome_kind(one))),
        lambda one: array_to_string(list_transform($parts, lambda part: CASE part
            WHEN '{place}' THEN CAST(one['place'] AS VARCHAR)
            WHEN '{name}' THEN quoted(one['name'])
            WHEN '{kind}' THEN quoted(outcome_kind(one))
            WHEN '{value}' THEN column_named(one['value'])
            WHEN '{value_name}' THEN quoted(one['value'])
            WHEN '{other}' THEN column_named(coalesce(one['denominator'], one['before']))
            WHEN '{other_name}' THEN quoted(coalesce(one['denominator'], one['before']))
            WHEN '{is_lower}' THEN CAST(one['is_lower'] AS VARCHAR)
            ELSE part
        END), '')
    ), ', '), '') AS value;
