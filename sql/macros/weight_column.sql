-- name:     weight_column
-- title:    Column of a table that has the name of a weight and is a number; '' if there is none
-- params:   found VARCHAR
-- note:     found is the type of a row, or what list_of_columns makes of it
SELECT
    regexp_extract(
        $found,
        '(?i)(?:^|[(]|, )"?(weight)"? (?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL)',
        1
    ) AS value;
