-- name:     read_trec_values
-- title:    Rows of the output of trec_eval -q: measure, query, value
-- params:   path VARCHAR
-- grain:    query_id, metric
-- note:     the lines for all queries together are left out; a line with other than three columns, or without a
--           number as its value, is refused
SELECT
    list_extract(fields, 2) AS query_id,
    list_extract(fields, 1) AS metric,
    coalesce(
        TRY_CAST(list_extract(fields, 3) AS DOUBLE),
        error('duckmetrics: the value of a line of trec_eval is not a number: ' || array_to_string(fields, ' '))
    ) AS value
FROM (
    SELECT string_split_regex(trim(line, E' \t\r'), '\s+') AS fields
    FROM read_csv(
        $path, columns = {'line': 'VARCHAR'}, auto_detect = FALSE, header = FALSE,
        delim = E'\x01', quote = '', escape = ''
    )
    WHERE trim(line, E' \t\r') <> ''
) AS lines
WHERE CASE
    WHEN len(fields) = 3 THEN list_extract(fields, 2) <> 'all'
    ELSE error('duckmetrics: a line of trec_eval is not measure query value: '
        || array_to_string(fields, ' '))
END;
