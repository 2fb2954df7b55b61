-- name:     sliced_rows
-- title:    SQL text of the rows of predictions with the segment to which they belong
-- params:   system VARCHAR,
--           by VARCHAR,
--           has_per BOOLEAN
-- note:     the step is called _dm_rows. If only per := splits the rows, its value is the segment, for speed
SELECT
    CASE
        WHEN $has_per AND has_names($by)
            THEN error('duckmetrics: by: per := slices the rows too; give one of the two')
        WHEN $system IS NULL AND NOT has_names($by) THEN 'SELECT * FROM _dm_rows'
        ELSE 'SELECT * REPLACE ('
            || CASE
                WHEN $has_per THEN
                    '{''slice'': ''segment'', ''system'': _slice[''system''], ''attributes'': {''segment'': _segment}}'
                ELSE '_slice'
            END
            || ' AS _segment, _slice[''system''] AS _system) FROM _dm_rows'
    END AS value;
