-- name:     unquoted
-- title:    What is read of an expression, refused with a hint where the expression is a text
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
