-- name:     asks_for
-- title:    Whether a list of metrics names one of some, known before the data are read
-- params:   metrics VARCHAR,
--           names VARCHAR
-- note:     names are apart by |; the text is searched, because a hundred conditions on lists take long to plan
SELECT regexp_matches(lower(replace(CAST($metrics AS VARCHAR), '-', '_')), '\b(' || $names || ')\b') AS value;
