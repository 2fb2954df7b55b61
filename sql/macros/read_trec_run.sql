-- name:     read_trec_run
-- title:    Rows of a TREC run file: query, Q0, item, rank, score, tag
-- params:   path VARCHAR
-- grain:    query_id, item_id
-- note:     a line with other than six columns, or without a number as its score, is refused; so is one whose tag
--           is a number and whose rank is not: there is a blank in its id, and the tag is missing
SELECT
    list_extract(fields, 1) AS query_id,
    list_extract(fields, 3) AS item_id,
    coalesce(
        TRY_CAST(list_extract(fields, 5) AS DOUBLE),
        error('duckmetrics: the score of a line of a run is not a number: ' || array_to_string(fields, ' '))
    ) AS score,
    list_extract(fields, 6) AS tag
FROM (
    SELECT string_split_regex(trim(line, E' \t\r'), '\s+') AS fields
    FROM read_csv(
        $path, columns = {'line': 'VARCHAR'}, auto_detect = FALSE, header = FALSE,
        delim = E'\x01', quote = '', escape = ''
    )
    WHERE trim(line, E' \t\r') <> ''
) AS lines
WHERE CASE
    WHEN len(fields) = 6 AND (
        TRY_CAST(list_extract(fields, 4) AS DOUBLE) IS NOT NULL
        OR TRY_CAST(list_extract(fields, 6) AS DOUBLE) IS NULL
    ) THEN TRUE
    ELSE error('duckmetrics: a line of a run is not query Q0 item rank score tag: '
        || array_to_string(fields, ' '))
END;
