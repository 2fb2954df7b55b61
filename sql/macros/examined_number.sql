-- name:     examined_number
-- title:    Number for the checks, NULL if its type is not a number
-- params:   value DOUBLE
-- note:     nextafter(x, x) is x, which DuckDB does not know: the statistics of Parquet files leave NaN out, and a
--           check must not use them
SELECT
    CASE
        WHEN typeof($value) IN ('FLOAT', 'DOUBLE')
            THEN nextafter(TRY_CAST($value AS DOUBLE), TRY_CAST($value AS DOUBLE))
        ELSE TRY_CAST($value AS DOUBLE)
    END AS value;
