-- name:     no_contestant
-- title:    A baseline or control that is not given, or not in the data
-- inputs:   contestants (name)
-- params:   given VARCHAR DEFAULT NULL,
--           parameter VARCHAR,
--           kind VARCHAR,
--           is_needed BOOLEAN
SELECT
    CASE
        WHEN $given IS NULL THEN $parameter || ' is missing; choose ' || coalesce(known, 'a name that is in the data')
        ELSE $parameter || ' ''' || CAST($given AS VARCHAR) || ''' is no ' || $kind || '; there are '
            || coalesce(known, 'none')
    END AS problem
FROM (
    SELECT
        count(*) FILTER (WHERE name = CAST($given AS VARCHAR)) AS chosen,
        nullif(array_to_string(list_slice(list(name ORDER BY name ASC NULLS LAST), 1, 20), ', '), '') AS known
    FROM contestants
) AS told
WHERE chosen = 0 AND ($is_needed OR $given IS NOT NULL);
