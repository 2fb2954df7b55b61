-- name:     read_letor
-- title:    Numbered lines of a LETOR or SVMlight file, or of a file with one score per line
-- params:   path VARCHAR
-- grain:    item_id
-- note:     the item is the number of the line, and value its first word; without qid the query is empty text
SELECT
    regexp_extract(line, 'qid:(\S+)', 1) AS query_id,
    row_number() OVER () AS item_id,
    CAST(regexp_extract(line, '^\S+') AS DOUBLE) AS value
FROM (
    SELECT trim(line, E' \t\r') AS line
    FROM read_csv(
        $path, columns = {'line': 'VARCHAR'}, auto_detect = FALSE, header = FALSE,
        delim = E'\x01', quote = '', escape = ''
    )
) AS lines
WHERE line <> '' AND NOT starts_with(line, '#');
