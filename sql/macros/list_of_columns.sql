-- name:     list_of_columns
-- title:    Columns with their types, from the type of a row
-- params:   type VARCHAR
-- note:     the column that stands for a missing one is left out
SELECT
    regexp_replace(
        regexp_replace($type, '^STRUCT\((.*)\)$', '\1'),
        '(^|, )"?_duckmetrics_none"? "NULL"$|^"?_duckmetrics_none"? "NULL", ', ''
    ) AS value;
