-- name:     spec_calls
-- title:    SQL texts of the calls of the macros of the metrics asked for
-- params:   metrics VARCHAR,
--           pieces VARCHAR,
--           switches VARCHAR
-- note:     a piece is a call, ␟, and the names of the parameters of its macro with | between
SELECT
    CASE
        WHEN len(list_filter($switches, lambda pair: NOT regexp_matches(
            array_to_string($pieces, '␟'), '[␟|]' || split_part(pair, '=', 1) || '(\||␟|$)'))) > 0
            THEN error(
                'duckmetrics: ' || replace(array_to_string(list_filter($switches, lambda pair: NOT regexp_matches(
                    array_to_string($pieces, '␟'), '[␟|]' || split_part(pair, '=', 1) || '(\||␟|$)'
                )), ', '), '=', ' := ') || ' changes nothing of what is asked; leave it out'
            )
        WHEN len(list_filter($switches, lambda pair: starts_with(pair, 'like='))) > 0
            AND len(list_filter($pieces, lambda piece: NOT regexp_matches(piece, '[␟|]like$'))) > 0
            THEN error('duckmetrics: like: no tool computes ' || list_extract(list_filter(asked_metrics($metrics),
                lambda metric, place: NOT regexp_matches(list_extract($pieces, place), '[␟|]like$')), 1)
                || '; leave it out of the list')
        ELSE list_transform(asked_metrics($metrics), lambda metric, place: replace(replace(
            split_part(list_extract($pieces, place), '␟', 1),
            '__params__', spec_arguments(metric, split_part(list_extract($pieces, place), '␟', 2), $switches)),
            '__typed__', quoted(metric)))
    END AS value;
