-- name:     whole_text
-- title:    SQL text with the words that its signs stand for; a word may have signs itself, but no deeper ones
-- params:   text VARCHAR
-- note:     the sign of the first word is U+E000, which unicode() gives as 57344. A sign without a word is left out.
--           The words are in the list that the lambdas read, because a lambda would split them again
SELECT
    list_transform(
        list_transform(
            [{'read': $text, 'words': words()}],
            lambda given: {'words': given['words'], 'read': with_words(given['read'], given['words'])}
        ),
        lambda given: with_words(given['read'], given['words'])
    )[1] AS value;
