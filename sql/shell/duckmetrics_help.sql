-- name:     duckmetrics_help
-- title:    What macros there are; of those that are called so, how they are called and what they mean
-- params:   pattern VARCHAR DEFAULT ''
-- grain:    name, kind, topic
-- note:     a pattern is a name, part of one, or a word of a title; the comments of the macros tell the rest
WITH told AS (
    SELECT DISTINCT
        function_name AS name,
        CASE function_type WHEN 'table_macro' THEN 'table' ELSE 'value' END AS kind,
        string_split(comment, chr(10)) AS lines
    FROM duckdb_functions()
    WHERE starts_with(comment, 'duckmetrics')
),
wanted AS (
    SELECT name, kind, unnest(lines) AS line, unnest(range(len(lines))) AS place
    FROM told
    WHERE name = lower($pattern)
    UNION ALL
    SELECT name, kind, lines[2] AS line, 1 AS place
    FROM told
    WHERE name <> lower($pattern) AND (contains(name, lower($pattern)) OR contains(lower(lines[2]), lower($pattern)))
)
SELECT name, kind, split_part(line, ': ', 1) AS topic, regexp_replace(line, '^[^:]*: ', '') AS about
FROM wanted
WHERE place > 0
ORDER BY name <> lower($pattern), name, kind, place;
