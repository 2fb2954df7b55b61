-- name:     spec_arguments
-- title:    SQL text of the arguments that the text of a metric, the call and a tool give to a macro
-- params:   metric VARCHAR,
--           names VARCHAR,
--           switches VARCHAR,
--           entry VARCHAR
-- note:     | separates the names of the parameters that the metric has; switches are texts of the call, such as
--           gain=exp2, for every metric that has them; the entry is as in tool_entry. The text of the metric wins over
--           the call, and the call over the tool
SELECT
    -- DuckDB 1.4 joins an empty list to NULL.
    coalesce(array_to_string(list_transform(
        list_filter(
            list_concat(
                string_split(trim(regexp_extract($metric, '\(([^()]*)\)', 1)), ','),
                list_filter(
                    list_concat($switches, list_filter(string_split(split_part($entry, '␟', 2), ','), lambda setting:
                        NOT list_contains(list_transform($switches, lambda pair: split_part(pair, '=', 1)),
                            split_part(setting, '=', 1)))),
                    lambda pair: list_contains(string_split($names, '|'), split_part(pair, '=', 1))
                        AND NOT regexp_matches($metric, '[(,]\s*' || split_part(pair, '=', 1) || '\s*=')
                )
            ), lambda pair: trim(pair) <> ''
        ),
        lambda pair: CASE
            WHEN NOT list_contains(string_split($names, '|'), 'agg') AND lower(trim(split_part(pair, '=', 1))) = 'agg'
                THEN error(
                    'duckmetrics: ' || $metric || ': agg is for evaluate; here are values of queries or their means'
                )
            WHEN NOT list_contains(string_split($names, '|'), lower(trim(split_part(pair, '=', 1))))
                OR NOT contains(pair, '=')
                THEN error(
                    'duckmetrics: ' || $metric || ': no parameter ''' || trim(split_part(pair, '=', 1))
                    || '''; did you mean ''' || likely(trim(split_part(pair, '=', 1)), $names) || '''?'
                )
            WHEN contains(split_part($entry, '␟', 3), '|' || lower(trim(split_part(pair, '=', 1))) || '=')
                THEN error('duckmetrics: like=' || split_part($entry, ' ', 1) || ': '
                    || lower(trim(split_part(pair, '=', 1))) || ' is not imitated of ' || split_part(split_part(
                        split_part($entry, '␟', 3), '|' || lower(trim(split_part(pair, '=', 1))) || '=', 2), '|', 1))
            ELSE ', "' || lower(trim(split_part(pair, '=', 1))) || '" := '
                || quoted(trim(substr(pair, strpos(pair, '=') + 1)))
        END
    ), ''), '') AS value;
