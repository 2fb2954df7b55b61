-- name:     unknown_tool
-- title:    Message about the first tool of a list that has no preset, NULL if all have one
-- params:   likes VARCHAR,
--           names VARCHAR
-- note:     | separates the names
SELECT
    list_extract(list_transform(
        list_filter(
            listed_words($likes),
            lambda word: NOT list_contains(string_split($names, '|'), lower(replace(word, '-', '_')))
        ),
        lambda word: 'like: unknown preset ''' || word || '''; did you mean ''' || likely(word, $names) || '''?'
    ), 1) AS value;
