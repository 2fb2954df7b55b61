-- name:     id_column
-- title:    Column of ids; one that is missing is an error
-- params:   value VARCHAR,
--           name VARCHAR,
--           of_table VARCHAR,
--           example VARCHAR
-- note:     a missing column has the type "NULL", which is known before the rows are read, so that only the column is
--           left of this
SELECT
    CASE
        WHEN typeof($value) = '"NULL"'
            THEN error('duckmetrics: ' || $of_table || 'no column ''' || $name || '''; name it with ' || $example)
        ELSE $value
    END AS value;
