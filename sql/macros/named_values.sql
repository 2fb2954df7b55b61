-- name:     named_values
-- title:    Texts such as name=value as structures; the name is NULL if a text has no =
-- params:   given VARCHAR
SELECT
    list_transform(
        list_transform(parted($given), lambda part: {'text': part, 'sides': halves(part, '=')}),
        lambda one: {
            'text': one['text'], 'name': bare_name(one['sides'][1]), 'value': bare_name(one['sides'][2])
        }
    ) AS value;
