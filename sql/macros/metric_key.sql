-- name:     metric_key
-- title:    Name in the text of a metric, with an @ at the end if a cut-off follows
-- params:   metric VARCHAR
SELECT
    metric_name($metric) || CASE WHEN metric_cutoff($metric) IS NULL THEN '' ELSE '@' END AS value;
