-- name:     outcome_tables
-- title:    SQL text of the tables of the kinds of outcomes that are asked for, below each other
-- params:   outcomes VARCHAR,
--           kinds VARCHAR,
--           tables VARCHAR
-- note:     tables has one name for each entry of kinds; a kind may need several tables, and two kinds the same; if
--           no kind is asked for, nothing reads the text, but it must name a table
SELECT
    '(FROM ' || coalesce(nullif(array_to_string(
        list_distinct(list_transform(
            list_filter(
                list_transform($kinds, lambda kind, place: {'kind': kind, 'name': list_extract($tables, place)}),
                lambda pair: list_contains(
                    list_transform($outcomes, lambda outcome: outcome_kind(outcome)), pair['kind']
                )
            ),
            lambda pair: pair['name']
        )),
        ' UNION ALL FROM '
    ), ''), list_extract($tables, 1)) || ')' AS value;
