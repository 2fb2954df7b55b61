-- name:     asks_for
-- title:    Whether a list of metrics names one of some, known before the data are read
-- params:   metrics VARCHAR,
--           names VARCHAR
-- note:     | separates the names; the text is searched, because DuckDB plans a hundred conditions on lists slowly
SELECT regexp_matches(lower(replace(CAST($metrics AS VARCHAR), '-', '_')), '\b(' || $names || ')\b') AS value;
