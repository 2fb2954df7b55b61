-- name:     unquoted
-- title:    Value of an expression; a text is an error, with a hint
-- params:   value DOUBLE,
--           name VARCHAR,
--           hint VARCHAR,
--           read DOUBLE
-- note:     a column between quotes is a text
SELECT
    CASE
        WHEN typeof($value) = 'VARCHAR'
            THEN error('duckmetrics: ' || $name || ' is VARCHAR, not a number; cast it to DOUBLE; ' || $hint)
        ELSE $read
    END AS value;
