-- name:     list_literal
-- title:    SQL literal of a list of texts, for a query that a macro writes when it is called
-- params:   words VARCHAR
SELECT
    -- DuckDB 1.4 joins an empty list to NULL.
    'CAST([' || coalesce(array_to_string(list_transform($words, lambda word: quoted(word)), ', '), '')
        || '] AS VARCHAR[])' AS value;
