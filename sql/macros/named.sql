-- name:     named
-- title:    Names as the text of a SQL list
-- params:   names VARCHAR
SELECT
    '[' || array_to_string(
        list_transform(
            $names, lambda name: '''' || replace(regexp_replace(name, '^(file|table):', ''), '''', '''''') || ''''
        ), ', '
    ) || ']' AS value;
