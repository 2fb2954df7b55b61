-- name:     duckmetrics_problem
-- title:    Parts of the message of an error: code, place, what, example, advice, and the switch that settles it
-- params:   message VARCHAR
-- inputs:   known_problems (code, of_column, what, advice, switch, value)
-- grain:    code
-- note:     a message about rows has the code and the words of a check; the code of all others is call;
--           DuckDB may add a line below the message, and a value macro puts the row after it
WITH raised AS (
    SELECT regexp_replace(regexp_extract($message, 'duckmetrics: ([^\n]*)', 1), ''' to [A-Z]+$', '') AS text
),
matched AS (
    SELECT
        known.code, known.of_column, known.what, known.advice, known.switch, known.value,
        rtrim(split_part(raised.text, known.what, 1), ': ') AS place,
        -- The rest is ' (example); advice', or '; advice; found, example'.
        substring(raised.text, strpos(raised.text, known.what) + length(known.what)) AS rest
    FROM raised
    JOIN known_problems AS known
        ON contains(raised.text, known.what || ';') OR contains(raised.text, known.what || ' (')
    ORDER BY
        length(known.what) DESC, contains(raised.text, known.advice) DESC,
        starts_with(raised.text, known.of_column) DESC, known.code ASC
    LIMIT 1
),
cut AS (
    SELECT
        text,
        regexp_extract(text, '^([\w.]+): ', 1) AS place,
        CASE WHEN contains(text, '; ') THEN regexp_extract(text, '; ((?:[^;]|;[^ ])*)$', 1) ELSE '' END AS advice
    FROM raised
    WHERE text <> ''
)
SELECT
    code,
    CASE WHEN place = '' THEN of_column ELSE place END AS place,
    what,
    nullif(CASE
        WHEN starts_with(rest, ' (') THEN regexp_replace(replace(rest, '; ' || advice, ''), '^ \(|\)$', '', 'g')
        ELSE split_part(rest, '; found, ', 2)
    END, '') AS example,
    advice,
    switch,
    value
FROM matched
UNION ALL
SELECT
    'call' AS code,
    nullif(place, '') AS place,
    substring(
        text,
        CASE WHEN place = '' THEN 1 ELSE length(place) + 3 END,
        length(text) - CASE WHEN place = '' THEN 0 ELSE length(place) + 2 END
            - CASE WHEN advice = '' THEN 0 ELSE length(advice) + 2 END
    ) AS what,
    NULL AS example,
    nullif(advice, '') AS advice,
    NULL AS switch,
    NULL AS value
FROM cut
WHERE NOT EXISTS (SELECT 1 FROM matched);
