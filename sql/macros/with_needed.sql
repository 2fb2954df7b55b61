-- name:     with_needed
-- title:    SQL text without the parts that no metric asked for needs
-- params:   text VARCHAR,
--           pieces VARCHAR
-- note:     ␚?2:SQL␚ in the text stands for SQL that a metric needs whose piece has a second part; see with_pieces
SELECT
    array_to_string(list_transform(string_split($text, '␚'), lambda part: CASE
        WHEN starts_with(part, '?')
            THEN CASE
                WHEN len(list_filter($pieces, lambda piece:
                    list_extract(string_split(piece, '␟'),
                        TRY_CAST(substr(part, 2, instr(part, ':') - 2) AS INTEGER)) <> '')) > 0
                    THEN substr(part, instr(part, ':') + 1)
                ELSE ''
            END
        ELSE part
    END), '') AS value;
