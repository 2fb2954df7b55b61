-- name:     tool_entry
-- title:    Entry of a tool for a metric, empty if no tool is named; an error if the metric cannot follow the tool
-- params:   tool VARCHAR,
--           metric VARCHAR,
--           piece VARCHAR,
--           entries VARCHAR
-- note:     a piece is the name of the metric, ␟, the names of its parameters, ␟, and the tools that have it, with |
--           between names. An entry is a line: tool, metric, an @ if a cut-off follows, ␟, settings, ␟, parameters
--           that the tool has otherwise, ␟, the reason if it cannot be followed, ␟, a condition on the truth, ␟, and
--           what it says
SELECT
    CASE
        WHEN $tool IS NULL THEN ''
        WHEN split_part($piece, '␟', 3) = ''
            THEN error('duckmetrics: like: no tool computes ' || $metric || '; leave it out of the list')
        ELSE list_transform([list_extract(list_filter(string_split($entries, chr(10)), lambda line: starts_with(
            line, CAST($tool AS VARCHAR) || ' ' || split_part($piece, '␟', 1)
                || CASE WHEN metric_cutoff($metric) IS NULL THEN '␟' ELSE '@␟' END)), 1)], lambda entry: CASE
            WHEN entry IS NULL
                THEN error('duckmetrics: like cannot be ''' || CAST($tool AS VARCHAR) || ''' for '
                    || split_part($piece, '␟', 1)
                    || '; did you mean ''' || likely(CAST($tool AS VARCHAR), split_part($piece, '␟', 3))
                    || '''? choose ' || replace(split_part($piece, '␟', 3), '|', ' or '))
            WHEN split_part(entry, '␟', 4) <> ''
                THEN error('duckmetrics: like=' || CAST($tool AS VARCHAR) || ': ' || split_part(entry, '␟', 4))
            ELSE entry
        END)[1]
    END AS value;
