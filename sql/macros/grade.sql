-- name:     grade
-- title:    A number, true or false, refused where its type is none of these
-- params:   value DOUBLE,
--           name VARCHAR
SELECT CASE WHEN typeof($value) = 'BOOLEAN' THEN CAST($value AS DOUBLE) ELSE number($value, $name) END AS value;
