-- name:     with_pieces
-- title:    SQL text in which the pieces of the metrics asked for replace the marks
-- params:   text VARCHAR,
--           pieces VARCHAR
-- note:     ␞#2␞ in the text stands for the second part of every piece, separated by commas; ␟ separates the parts of
--           a piece, ~2 is a part that is as the second one, and an empty part is left out. ␞=SQL␞ stands for the same
--           SQL for every piece, with its place for __place__. One lambda for all marks, because DuckDB binds each one
SELECT
    array_to_string(list_transform(string_split($text, '␞'), lambda part: CASE
        WHEN starts_with(part, '#')
            THEN array_to_string(list_filter(list_transform(
                list_transform($pieces, lambda piece: string_split(piece, '␟')),
                lambda parts: list_transform(
                    [list_extract(parts, TRY_CAST(substr(part, 2) AS INTEGER))],
                    lambda one: CASE
                        WHEN starts_with(one, '~') THEN list_extract(parts, TRY_CAST(substr(one, 2) AS INTEGER))
                        ELSE one
                    END)[1]
            ), lambda piece: piece <> ''), ', ')
        WHEN starts_with(part, '=')
            THEN array_to_string(list_transform($pieces, lambda piece, place:
                replace(substr(part, 2), '__place__', CAST(place AS VARCHAR))), ', ')
        ELSE part
    END), '') AS value;
