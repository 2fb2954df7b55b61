-- name:     spec_calls
-- title:    SQL texts of the calls of a macro that compute the metrics asked for
-- params:   specs VARCHAR,
--           called VARCHAR
-- note:     specs are rows of spec_rows. Metrics share a call if their arguments are the same and none has a call of
--           its own. A call has marks for the metrics, their texts, their arguments and the condition on the truth
SELECT
    list_transform(
        list_distinct(list_transform($specs, lambda spec: {
            'params': spec['params'], 'need': spec['need'], 'own': spec['own']
        })), lambda key: list_transform([list_filter($specs, lambda spec: spec['own'] = key['own']
            AND spec['params'] = key['params'] AND spec['need'] = key['need'])], lambda shared:
            replace(replace(replace(replace($called,
                '__plain__', array_to_string(list_transform(shared, lambda spec: quoted(spec['plain'])), ', ')),
                '__asked__', array_to_string(list_transform(shared, lambda spec: quoted(spec['metric'])), ', ')),
                '__need__', key['need']),
                '__params__', key['params']))[1]
    ) AS value;
