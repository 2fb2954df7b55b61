-- name:     united
-- title:    SQL text of one part of the pieces of all metrics asked for, below each other
-- params:   pieces VARCHAR,
--           place INTEGER
-- note:     ␟ separates the parts of a piece
SELECT
    array_to_string(
        list_transform($pieces, lambda piece: list_extract(string_split(piece, '␟'), $place)), ' UNION ALL '
    ) AS value;
