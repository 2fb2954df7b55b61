-- name:     plain_metrics
-- title:    Texts of the metrics in a list, or in one text with commas, as they stand
-- params:   metrics VARCHAR
SELECT regexp_split_to_array(trim(CAST($metrics AS VARCHAR), '[] '), '\s*,\s*') AS value;
