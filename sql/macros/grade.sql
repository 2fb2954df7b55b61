-- name:     grade
-- title:    Number, true or false; another type is an error
-- params:   value DOUBLE,
--           name VARCHAR
SELECT CASE WHEN typeof($value) = 'BOOLEAN' THEN CAST($value AS DOUBLE) ELSE number($value, $name) END AS value;
