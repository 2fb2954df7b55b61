-- name:     number
-- title:    Number; another type is an error
-- params:   value DOUBLE,
--           name VARCHAR
-- note:     the type is known before the rows are read, so that little is left of this; nextafter(x, x) is x, which
--           DuckDB does not know: the statistics of Parquet files leave NaN out, and a check must not use them
SELECT
    CASE
        WHEN NOT is_number(typeof($value)) 
            THEN error('duckmetrics: ' || $name || ' is ' || typeof($value) || ', not a number; cast it to DOUBLE')
        WHEN typeof($value) IN ('FLOAT', 'DOUBLE') THEN nextafter(CAST($value AS DOUBLE), CAST($value AS DOUBLE))
        ELSE CAST($value AS DOUBLE)
    END AS value;
