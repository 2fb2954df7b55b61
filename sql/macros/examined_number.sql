-- name:     examined_number
-- title:    A number that is looked at before it is trusted, NULL where its type is none
-- params:   value DOUBLE
-- note:     nextafter(x, x) is x, and DuckDB knows nothing of it: statistics of Parquet files leave NaN out, and a
--           check may not trust them
SELECT
    CASE
        WHEN typeof($value) IN ('FLOAT', 'DOUBLE')
            THEN nextafter(TRY_CAST($value AS DOUBLE), TRY_CAST($value AS DOUBLE))
        ELSE TRY_CAST($value AS DOUBLE)
    END AS value;
