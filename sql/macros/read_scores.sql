-- name:     read_scores
-- title:    Scores of a file with one number on each line; the item is the number of the line
-- params:   path VARCHAR
-- grain:    item_id
SELECT row_number() OVER () AS item_id, CAST(line AS DOUBLE) AS score
FROM (
    SELECT trim(line, E' \t\r') AS line
    FROM read_csv(
        $path, columns = {'line': 'VARCHAR'}, auto_detect = FALSE, header = FALSE,
        delim = E'\x01', quote = '', escape = ''
    )
) AS lines
WHERE line <> '';
