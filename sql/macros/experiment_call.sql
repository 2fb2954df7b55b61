-- name:     experiment_call
-- title:    Arguments of an A/B test: metrics, columns from before, directions and shares
-- params:   metrics VARCHAR,
--           pre VARCHAR DEFAULT NULL,
--           lower_is_better VARCHAR DEFAULT NULL,
--           shares VARCHAR DEFAULT NULL
-- values:   metrics: columns and ratios of columns, such as 'revenue, clicks/sessions'
--           pre: column from before the experiment, for CUPED: 'revenue=revenue_before'
--           lower_is_better: the metrics for which lower is better
--           shares: planned shares of the variants, such as 'A=0.9, B=0.1'; else equal
-- note:     write a name that contains a comma, a slash or an equals sign within double quotes
SELECT
    list_extract(list_transform(
        [{
            'parts': list_transform(
                parted($metrics), lambda part: {'text': part, 'sides': halves(part, '/')}
            ),
            'pre': named_values($pre),
            'lower': list_transform(parted($lower_is_better), lambda part: bare_name(part))
        }],
        lambda given: {
            'outcomes': list_transform(
                list_transform(
                    list_filter(
                        given['parts'], lambda part, place: list_position(given['parts'], part) = place
                    ),
                    lambda part: {
                        'text': part['text'],
                        'name': CASE
                            WHEN part['sides'] IS NULL THEN bare_name(part['text'])
                            WHEN contains(part['text'], '"')
                                THEN bare_name(part['sides'][1]) || '/' || bare_name(part['sides'][2])
                            ELSE part['text']
                        END,
                        'value': bare_name(coalesce(part['sides'][1], part['text'])),
                        'denominator': bare_name(part['sides'][2]),
                        'is_broken': part['sides'] IS NOT NULL
                            AND (list_contains(part['sides'], '') OR halves(part['sides'][2], '/') IS NOT NULL)
                    }
                ),
                lambda part, place: {
                    'place': place,
                    'text': part['text'],
                    'name': part['name'],
                    'value': part['value'],
                    'denominator': part['denominator'],
                    'is_broken': part['is_broken'],
                    'before': list_extract(
                        list_filter(given['pre'], lambda pair: pair['name'] = part['name']), 1
                    )['value'],
                    'is_lower': list_contains(given['lower'], part['name'])
                }
            ),
            'pre': given['pre'],
            'lower': given['lower'],
            'shares': named_values($shares)
        }
    ), 1) AS value;
