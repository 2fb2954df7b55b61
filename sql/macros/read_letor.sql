-- name:     read_letor
-- title:    Rows of a LETOR or SVMlight file: label qid:query feature:value ...; the item is the number of the line
-- params:   path VARCHAR
-- grain:    item_id
SELECT
    regexp_extract(line, 'qid:(\S+)', 1) AS query_id,
    row_number() OVER () AS item_id,
    CAST(regexp_extract(line, '^\S+') AS DOUBLE) AS relevance
FROM (
    SELECT trim(line, E' \t\r') AS line
    FROM read_csv(
        $path, columns = {'line': 'VARCHAR'}, auto_detect = FALSE, header = FALSE,
        delim = E'\x01', quote = '', escape = ''
    )
) AS lines
WHERE line <> '' AND NOT starts_with(line, '#');
