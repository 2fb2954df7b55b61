-- name:     bare_name
-- title:    A name without the double quotes around it
-- params:   given VARCHAR
SELECT
    CASE
        WHEN regexp_full_match($given, '(?s)"([^"]|"")+"')
            THEN replace(substr($given, 2, length($given) - 2), '""', '"')
        ELSE $given
    END AS value;
