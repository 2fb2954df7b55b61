-- name:     number
-- title:    A number, refused where its type is none
-- params:   value DOUBLE,
--           name VARCHAR
-- note:     the type is known before the rows are read, so that little is left of this; nextafter(x, x) is x, and
--           DuckDB knows nothing of it: statistics of Parquet files leave NaN out, and a check may not trust them
SELECT
    CASE
        WHEN NOT is_number(typeof($value)) 
            THEN error('duckmetrics: ' || $name || ' is ' || typeof($value) || ', not a number; cast it to DOUBLE')
        WHEN typeof($value) IN ('FLOAT', 'DOUBLE') THEN nextafter(CAST($value AS DOUBLE), CAST($value AS DOUBLE))
        ELSE CAST($value AS DOUBLE)
    END AS value;
