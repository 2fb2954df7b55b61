-- name:     signature_value
-- title:    Value of a parameter as a signature shows it, ready to stand between quotes
-- params:   given VARCHAR
SELECT
    list_extract(list_transform([CAST($given AS VARCHAR)], lambda text: CASE
        WHEN text IS NULL THEN 'null'
        WHEN trim(lower(text), 'abcdefghijklmnopqrstuvwxyz_0123456789.-') = ''
            AND trim(lower(left(text, 1)), 'abcdefghijklmnopqrstuvwxyz_') = '' AND text <> '' THEN text
        WHEN TRY_CAST(text AS DOUBLE) IS NOT NULL
            THEN CASE WHEN ends_with(text, '.0') THEN left(text, -2) ELSE text END
        ELSE '''''' || replace(text, '''', '''''''''') || ''''''
    END), 1) AS value;
