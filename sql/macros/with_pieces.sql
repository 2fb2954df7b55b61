-- name:     with_pieces
-- title:    SQL text in which the pieces of the metrics asked for replace the marks
-- params:   text VARCHAR,
--           pieces VARCHAR
-- note:     ␞#2␞ in the text stands for the second part of every piece, separated by commas; ␟ separates the parts of
--           a piece, and an empty part is left out. One lambda for all marks, because DuckDB binds each one
SELECT
    array_to_string(list_transform(string_split($text, '␞'), lambda part: CASE
        WHEN starts_with(part, '#')
            THEN array_to_string(list_filter(list_transform($pieces, lambda piece: list_extract(
                string_split(piece, '␟'), TRY_CAST(substr(part, 2) AS INTEGER)
            )), lambda piece: piece <> ''), ', ')
        ELSE part
    END), '') AS value;
