-- name:     spec_arguments
-- title:    SQL text of the arguments that the text of a metric and the call give to its macro
-- params:   metric VARCHAR,
--           names VARCHAR,
--           switches VARCHAR
-- note:     | separates the names of the parameters that the macro has; switches are texts of the call, such as
--           gain=exp2, for every metric that has them. The text of the metric wins
SELECT
    -- DuckDB 1.4 joins an empty list to NULL.
    coalesce(array_to_string(list_transform(
        list_filter(
            list_concat(
                string_split(trim(regexp_extract($metric, '\(([^()]*)\)', 1)), ','),
                list_filter($switches, lambda pair: list_contains(string_split($names, '|'), split_part(pair, '=', 1))
                    AND NOT regexp_matches($metric, '[(,]\s*' || split_part(pair, '=', 1) || '\s*='))
            ), lambda pair: trim(pair) <> ''
        ),
        lambda pair: CASE
            WHEN list_contains(string_split($names, '|'), lower(trim(split_part(pair, '=', 1)))) AND contains(pair, '=')
                THEN ', "' || lower(trim(split_part(pair, '=', 1))) || '" := '
                    || quoted(trim(substr(pair, strpos(pair, '=') + 1)))
            ELSE error(
                'duckmetrics: ' || $metric || ': no parameter ''' || trim(split_part(pair, '=', 1))
                || '''; did you mean ''' || likely(trim(split_part(pair, '=', 1)), $names) || '''?'
            )
        END
    ), ''), '') AS value;
