-- name:     likely
-- title:    The name of several that a misspelled one most probably means
-- params:   word VARCHAR,
--           names VARCHAR
-- note:     names are apart by |
SELECT
    list_extract(list_sort(
        list_transform(
            string_split($names, '|'),
            lambda name: {'similarity': jaro_winkler_similarity(name, lower($word)), 'name': name || ''}
        ), 'DESC', 'NULLS LAST'
    ), 1)['name'] AS value;
