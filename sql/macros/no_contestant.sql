-- name:     no_contestant
-- title:    Baseline or control that is not given, or not in the data
-- inputs:   contestants (name)
-- params:   given VARCHAR DEFAULT NULL,
--           parameter VARCHAR,
--           kind VARCHAR,
--           is_needed BOOLEAN,
--           is_expression BOOLEAN
-- note:     if the names are an expression, a column between quotes is one name for all rows
SELECT
    CASE
        WHEN $given IS NULL THEN $parameter || ' is missing; choose ' || coalesce(known, 'a name that is in the data')
        ELSE $parameter || ' ''' || CAST($given AS VARCHAR) || ''' is no ' || $kind || '; there are '
            || coalesce(known, 'none') || CASE
                WHEN $is_expression AND n_known = 1 THEN '; if that is the name of a column, write it without quotes'
                ELSE ''
            END
    END AS problem
FROM (
    SELECT
        count(*) FILTER (WHERE name = CAST($given AS VARCHAR)) AS chosen,
        count(*) AS n_known,
        nullif(array_to_string(list_slice(list(name ORDER BY name ASC NULLS LAST), 1, 20), ', '), '') AS known
    FROM contestants
) AS told
WHERE chosen = 0 AND ($is_needed OR $given IS NOT NULL);
