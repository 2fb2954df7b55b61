-- name:     duckmetrics_help
-- title:    List of the macros; for a name, how the macro is called and what it means
-- params:   pattern VARCHAR DEFAULT '',
--           shared VARCHAR
-- grain:    name, kind, topic
-- note:     a pattern is a name, part of one, or words of a name and title; the comments of the macros have the rest;
--           an unknown name gives one row with similar names
WITH told AS (
    SELECT DISTINCT
        function_name AS name,
        CASE function_type WHEN 'table_macro' THEN 'table' ELSE 'value' END AS kind,
        string_split(comment, chr(10)) AS lines,
        ' ' || trim(regexp_replace(
            lower(function_name || ' ' || regexp_replace(split_part(comment, chr(10), 2), '^[^:]*: ', '')),
            '[^a-z0-9]+', ' ', 'g'
        )) || ' ' AS words
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
    WHERE name <> lower($pattern) AND (
        contains(name, lower($pattern))
        OR contains(lower(lines[2]), lower($pattern))
        -- A word may be the start of a longer one; a word of one or two letters must match exactly.
        OR len(list_filter(
            string_split(trim(regexp_replace(lower($pattern), '[^a-z0-9]+', ' ', 'g')), ' '),
            lambda word: NOT contains(words, ' ' || word || CASE WHEN length(word) < 3 THEN ' ' ELSE '' END)
        )) = 0
    )
),
-- The lines that several comments have: ~3-7 in a comment stands for five of them.
shared AS (
    SELECT
        unnest(string_split($shared, chr(10))) AS line,
        unnest(range(1, len(string_split($shared, chr(10))) + 1)) AS number
),
found AS (
    SELECT wanted.name, wanted.kind, coalesce(shared.line, wanted.line) AS line, wanted.place, shared.number
    FROM wanted
    LEFT JOIN shared
        ON shared.number BETWEEN TRY_CAST(regexp_extract(wanted.line, '^~(\d+)', 1) AS INTEGER)
            AND TRY_CAST(regexp_extract(wanted.line, '^~(\d+-)?(\d+)$', 2) AS INTEGER)
    WHERE wanted.place > 0
),
names AS (
    SELECT DISTINCT name FROM told
),
alike AS (
    SELECT name, jaro_winkler_similarity(name, lower($pattern)) AS similarity
    FROM names
    WHERE jaro_winkler_similarity(name, lower($pattern)) > 0.8
    ORDER BY similarity DESC, name ASC
    LIMIT 3
)
SELECT name, kind, split_part(line, ': ', 1) AS topic, regexp_replace(line, '^[^:]*: ', '') AS about
FROM (
    SELECT name, kind, line, place, number FROM found
    UNION ALL
    SELECT
        $pattern AS name, NULL AS kind,
        'unknown: no macro has this name; ' || coalesce(
            'did you mean ' || (SELECT string_agg(name, ', ' ORDER BY similarity DESC, name) FROM alike) || '?',
            'FROM duckmetrics_help() lists them all'
        ) AS line,
        1 AS place,
        1 AS number
    WHERE NOT EXISTS (SELECT 1 FROM found)
) AS answers
ORDER BY name <> lower($pattern), name, kind, place, number;
