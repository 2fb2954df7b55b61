-- name:     one_of
-- title:    Pattern of a column that may be missing, and of the column that is NULL
-- params:   name VARCHAR
SELECT '(?i)^(_duckmetrics_none|' || regexp_escape($name) || ')$' AS value;
