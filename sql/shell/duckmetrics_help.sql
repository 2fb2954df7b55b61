-- name:     duckmetrics_help
-- title:    What macros there are, and what they mean
-- params:   pattern VARCHAR DEFAULT ''
-- grain:    name, call
-- note:     a pattern is part of a name, or of what is told about it
SELECT
    function_name AS name,
    CASE function_type WHEN 'table_macro' THEN 'FROM ' ELSE '' END || split_part(comment, chr(10), 2) AS call,
    split_part(comment, chr(10), 1) AS title,
    array_to_string(list_slice(string_split(comment, chr(10)), 3, NULL), chr(10)) AS about
FROM duckdb_functions()
WHERE contains(comment, 'duckmetrics') AND (contains(function_name, lower($pattern)) OR contains(lower(comment), lower($pattern)))
QUALIFY row_number() OVER (PARTITION BY database_name, function_name, function_type ORDER BY function_oid) = 1
ORDER BY NOT starts_with(function_name, lower($pattern)), function_name, function_type;
