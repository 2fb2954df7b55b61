-- name:     metric_name
-- title:    Name in the text of a metric, empty if it cannot be read
-- params:   metric VARCHAR
SELECT
    lower(replace(
        regexp_extract(
            $metric, '^(?:(?:ranking|classification)\s*\.\s*)?([A-Za-z_][\w-]*)\s*(?:@\s*[^\s@()]+)?$', 1
        ), '-', '_'
    )) AS value;
