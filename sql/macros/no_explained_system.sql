-- name:     no_explained_system
-- title:    System to explain that is not clear from the names given
-- inputs:   contestants (name)
-- params:   system VARCHAR DEFAULT NULL,
--           baseline VARCHAR DEFAULT NULL,
--           compared VARCHAR DEFAULT NULL
SELECT
    CASE
        WHEN $system IS NULL THEN 'system is missing; name the column with system := ...'
        WHEN $compared IS NOT NULL THEN $compared || ' is the system and the baseline; name two systems'
        WHEN n_others = 0 THEN 'baseline is the only system; leave it out'
        ELSE 'several systems; name one of ' || others || ' with compared := ...'
    END AS problem
FROM (
    SELECT
        count(*) AS n_others,
        array_to_string(list_slice(list(name ORDER BY name ASC NULLS LAST), 1, 20), ', ') AS others
    FROM contestants
    WHERE $baseline IS NULL OR name <> $baseline
) AS found
WHERE CASE
    WHEN $system IS NULL THEN $baseline IS NOT NULL OR $compared IS NOT NULL
    WHEN $compared IS NOT NULL THEN $compared = $baseline
    ELSE n_others <> 1
END;
