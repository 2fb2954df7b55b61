-- name:     weight_column
-- title:    Column of a table that has the name of a weight; '' if there is none
-- params:   found VARCHAR,
--           family VARCHAR
-- note:     found is the type of a row, or what list_of_columns makes of it. Rows of classifiers are weighted by a
--           column of any type, which is refused unless it is a number; next to rankings, text is no weight
SELECT
    regexp_extract(
        $found,
        '(?i)(?:^|[(]|, )"?(weight)"? ' || CASE WHEN $family = 'ranking'
            THEN '(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL)' ELSE '' END,
        1
    ) AS value;
