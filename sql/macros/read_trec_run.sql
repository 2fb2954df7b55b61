-- name:     read_trec_run
-- title:    Rows of a TREC run file: query, Q0, item, rank, score, tag
-- params:   path VARCHAR
-- grain:    query_id, item_id
SELECT
    list_extract(fields, 1) AS query_id,
    list_extract(fields, 3) AS item_id,
    CAST(list_extract(fields, 5) AS DOUBLE) AS score,
    list_extract(fields, 6) AS tag
FROM (
    SELECT string_split_regex(trim(line, E' \t\r'), '\s+') AS fields
    FROM read_csv(
        $path, columns = {'line': 'VARCHAR'}, auto_detect = FALSE, header = FALSE,
        delim = E'\x01', quote = '', escape = ''
    )
    WHERE trim(line, E' \t\r') <> ''
) AS lines;
