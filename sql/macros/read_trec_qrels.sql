-- name:     read_trec_qrels
-- title:    Rows of a TREC qrels file: query, iteration, item, relevance
-- params:   path VARCHAR
-- grain:    query_id, item_id
SELECT
    list_extract(fields, 1) AS query_id,
    list_extract(fields, 3) AS item_id,
    CAST(list_extract(fields, 4) AS DOUBLE) AS relevance
FROM (
    SELECT string_split_regex(trim(line, E' \t\r'), '\s+') AS fields
    FROM read_csv(
        $path, columns = {'line': 'VARCHAR'}, auto_detect = FALSE, header = FALSE,
        delim = E'\x01', quote = '', escape = ''
    )
    WHERE trim(line, E' \t\r') <> ''
) AS lines;
