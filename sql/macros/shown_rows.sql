-- name:     shown_rows
-- title:    SQL text of the results of rows: the columns of the slices, and the others as they are given
-- params:   system VARCHAR,
--           by VARCHAR,
--           has_per BOOLEAN,
--           columns VARCHAR
-- note:     the step is called _dm_results; columns is the text of the other columns
SELECT
    'SELECT ' || CASE WHEN $system IS NULL THEN 'CAST(NULL AS VARCHAR)' ELSE '_segment[''system'']' END
    || ' AS system, _metric AS metric, '
    || CASE
        WHEN $system IS NULL AND NOT has_names($by)
            THEN CASE WHEN $has_per THEN '''segment'' AS slice, _segment AS segment, ' ELSE ''''' AS slice, ' END
                || $columns || ' FROM _dm_results ORDER BY _segment ASC NULLS LAST, _place ASC NULLS LAST'
        ELSE '_segment[''slice''] AS slice, ' || CASE WHEN $has_per OR has_names($by) THEN '_attributes.*, ' ELSE '' END
            || $columns || ' FROM (SELECT *, _segment[''attributes''] AS _attributes FROM _dm_results) AS _sliced '
            || 'ORDER BY _sliced._segment[''slice''] ASC NULLS LAST, _sliced._attributes ASC NULLS LAST, '
            || '_sliced._place ASC NULLS LAST, _sliced._segment[''system''] ASC NULLS LAST'
    END AS value;
