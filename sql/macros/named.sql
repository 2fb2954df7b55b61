-- name:     named
-- title:    Names as the text of a SQL list
-- params:   names VARCHAR
-- note:     the names are one text, because each lambda costs DuckDB time
SELECT
    '[''' || replace(substr(
        replace(replace(replace(
            '␝' || array_to_string($names, '␝'), '␝file:', '␝'), '␝table:', '␝'), '''', ''''''
        ), 2
    ), '␝', ''', ''') || ''']' AS value;
