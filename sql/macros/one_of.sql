-- name:     one_of
-- title:    Pattern of a column that may not be there, and of the one that is NULL
-- params:   name VARCHAR
SELECT '(?i)^(_duckmetrics_none|' || regexp_escape($name) || ')$' AS value;
