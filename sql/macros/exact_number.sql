-- name:     exact_number
-- title:    Text of a number with more digits than a DOUBLE keeps, NULL for other numbers
-- params:   value DOUBLE
-- note:     the type is known before the rows are read, so that for the usual types only NULL is left; a DOUBLE keeps
--           whole numbers below 2^53, and 15 digits of a DECIMAL
SELECT
    CASE
        WHEN typeof($value) IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'UHUGEINT')
            THEN CASE WHEN abs(CAST($value AS DOUBLE)) >= 9007199254740992e0 THEN CAST($value AS VARCHAR) END
        WHEN starts_with(typeof($value), 'DECIMAL') AND TRY_CAST(substr(typeof($value), 9, 2) AS INTEGER) > 15
            THEN CASE
                WHEN abs(CAST($value AS DOUBLE))
                    >= power(10e0, 15 - TRY_CAST(trim(split_part(typeof($value), ',', 2), ')') AS INTEGER))
                    THEN CAST($value AS VARCHAR)
            END
    END AS value;
