-- name:     with_needed
-- title:    A SQL text without the parts that no metric asked for needs
-- params:   text VARCHAR,
--           pieces VARCHAR
-- note:     ␚?2:SQL␚ in the text stands for SQL that a metric needs whose piece has a second part; see with_pieces
SELECT
    array_to_string(list_transform(string_split($text, '␚'), lambda part: CASE
        WHEN starts_with(part, '?')
            THEN CASE
                WHEN len(list_filter($pieces, lambda piece:
                    split_part(piece, '␟', TRY_CAST(regexp_extract(part, '\d+') AS INTEGER)) <> '')) > 0
                    THEN substr(part, instr(part, ':') + 1)
                ELSE ''
            END
        ELSE part
    END), '') AS value;
