-- name:     with_words
-- title:    SQL text with the words that its signs stand for
-- params:   text VARCHAR, words VARCHAR
-- note:     words is a list; see whole_text. The last piece has no sign, and so the place 0, where no word is:
--           DuckDB 1.4 crashes where list_zip reads an empty choice
SELECT
    array_to_string(list_transform(
        list_zip(
            string_split_regex($text, '[\x{E000}-\x{F8FE}]'),
            list_select($words, list_append(list_transform(
                regexp_extract_all($text, '[\x{E000}-\x{F8FE}]'), lambda sign: unicode(sign) - 57343), 0))
        ),
        lambda pair: concat(pair[1], pair[2])), '') AS value;
