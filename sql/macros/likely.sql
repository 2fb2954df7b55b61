-- name:     likely
-- title:    Name that a misspelled name most probably means, from a list
-- params:   word VARCHAR,
--           names VARCHAR
-- note:     | separates the names
SELECT
    list_extract(list_sort(
        list_transform(
            string_split($names, '|'),
            lambda name: {'similarity': jaro_winkler_similarity(name, lower($word)), 'name': name || ''}
        ), 'DESC', 'NULLS LAST'
    ), 1)['name'] AS value;
