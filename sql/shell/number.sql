-- name:     number
-- title:    A number, refused where its type is none
-- params:   value DOUBLE,
--           name VARCHAR
-- note:     the type is known before the rows are read, so that nothing is left of this but a cast
SELECT
    CASE
        WHEN NOT regexp_full_match(
            typeof($value), '"NULL"|U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL.*|FLOAT|DOUBLE'
        ) THEN error('duckmetrics: ' || $name || ' is ' || typeof($value) || ', not a number; cast it to DOUBLE')
        ELSE CAST($value AS DOUBLE)
    END AS value;
