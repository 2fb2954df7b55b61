-- name:     metric_cutoff
-- title:    Cut-off in the text of a metric, NULL if it has none
-- params:   metric VARCHAR
SELECT nullif(regexp_extract($metric, '@\s*([^\s@()]+)$', 1), '') AS value;
