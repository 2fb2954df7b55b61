-- name:     signature_value
-- title:    The value of a parameter as a signature shows it, ready to stand between quotes
-- params:   given VARCHAR
SELECT
    CASE
        WHEN $given IS NULL THEN 'null'
        WHEN regexp_full_match(CAST($given AS VARCHAR), '[A-Za-z_][\w.-]*|-?\d+') THEN CAST($given AS VARCHAR)
        WHEN regexp_full_match(CAST($given AS VARCHAR), '-?\d+\.0')
            THEN regexp_extract(CAST($given AS VARCHAR), '-?\d+')
        WHEN TRY_CAST(CAST($given AS VARCHAR) AS DOUBLE) IS NOT NULL THEN CAST($given AS VARCHAR)
        ELSE '''''' || replace(CAST($given AS VARCHAR), '''', '''''''''') || ''''''
    END AS value;
