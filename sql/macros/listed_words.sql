-- name:     listed_words
-- title:    Words of a list, or of one text with commas
-- params:   given VARCHAR
SELECT
    list_transform(
        coalesce(TRY_CAST(CAST($given AS VARCHAR) AS VARCHAR[]), string_split(CAST($given AS VARCHAR), ',')),
        lambda word: trim(word)
    ) AS value;
