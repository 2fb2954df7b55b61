-- name:     read_trec_qrels
-- title:    Rows of a TREC qrels file: query, iteration, item, relevance
-- params:   path VARCHAR
-- grain:    query_id, item_id
-- note:     a line with other than four columns, or without a number as its grade, is refused
SELECT
    list_extract(fields, 1) AS query_id,
    list_extract(fields, 3) AS item_id,
    coalesce(
        TRY_CAST(list_extract(fields, 4) AS DOUBLE),
        error('duckmetrics: the grade of a line of qrels is not a number: ' || array_to_string(fields, ' '))
    ) AS relevance
FROM (
    SELECT string_split_regex(trim(line, E' \t\r'), '\s+') AS fields
    FROM read_csv(
        $path, columns = {'line': 'VARCHAR'}, auto_detect = FALSE, header = FALSE,
        delim = E'\x01', quote = '', escape = ''
    )
    WHERE trim(line, E' \t\r') <> ''
) AS lines
WHERE CASE
    WHEN len(fields) = 4 THEN TRUE
    ELSE error('duckmetrics: a line of qrels is not query 0 item grade: '
        || array_to_string(fields, ' '))
END;
