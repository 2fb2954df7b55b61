-- name:     spec_rows
-- title:    The metrics asked for, each with its text, its text without parameters, the arguments of its call, its text
--           if no other metric shares the call, and the condition on the truth of a tool
-- params:   asked VARCHAR,
--           plain VARCHAR,
--           pieces VARCHAR,
--           switches VARCHAR,
--           tool VARCHAR,
--           entries VARCHAR,
--           is_alone BOOLEAN
-- note:     a piece is as in tool_entry; switches are texts of the call, such as gain=exp2; is_alone says whether each
--           metric has a call of its own
SELECT
    CASE
        WHEN len(list_distinct($asked)) < len($asked)
            THEN error('duckmetrics: a metric is asked for twice; name each metric once')
        WHEN len(list_filter($switches, lambda pair: NOT regexp_matches(
            array_to_string($pieces, '|'), '[␟|]' || split_part(pair, '=', 1) || '[␟|]'))) > 0
            THEN error(
                'duckmetrics: ' || replace(array_to_string(list_filter($switches, lambda pair: NOT regexp_matches(
                    array_to_string($pieces, '|'), '[␟|]' || split_part(pair, '=', 1) || '[␟|]'
                )), ', '), '=', ' := ') || ' changes nothing of what is asked; leave it out'
            )
        ELSE list_transform(
            list_transform($asked, lambda metric, place: {
                'metric': metric,
                'plain': list_extract($plain, place),
                'names': split_part(list_extract($pieces, place), '␟', 2),
                'entry': tool_entry($tool, metric, list_extract($pieces, place), $entries)
            }), lambda spec: {
                'metric': spec['metric'],
                'plain': spec['plain'],
                'own': CASE WHEN $is_alone OR contains(spec['metric'], '(') THEN spec['metric'] ELSE '' END,
                'params': spec_arguments(spec['metric'], spec['names'], $switches, spec['entry']),
                'need': CASE
                    WHEN split_part(spec['entry'], '␟', 5) = '' THEN 'TRUE'
                    ELSE 'CASE WHEN EXISTS (SELECT 1 FROM _duckmetrics_truth WHERE NOT ('
                        || split_part(spec['entry'], '␟', 5) || ')) THEN error('
                        || quoted('duckmetrics: like=' || split_part(spec['entry'], ' ', 1) || ': '
                            || split_part(spec['entry'], '␟', 6)) || ') ELSE TRUE END'
                END
            }
        )
    END AS value;
