-- name:     exact_number
-- title:    The text of a number with more digits than a DOUBLE is sure to keep, NULL of any other
-- params:   value DOUBLE
-- note:     the type is known before the rows are read, so that nothing is left of this but NULL for the usual types;
--           a DOUBLE keeps whole numbers below 2^53, and 15 digits of a DECIMAL
SELECT
    CASE
        WHEN typeof($value) IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'UHUGEINT')
            THEN CASE WHEN abs(CAST($value AS DOUBLE)) >= 9007199254740992e0 THEN CAST($value AS VARCHAR) END
        WHEN regexp_full_match(typeof($value), 'DECIMAL\((1[6-9]|[23]\d),\d+\)')
            THEN CASE
                WHEN abs(CAST($value AS DOUBLE))
                    >= power(10e0, 15 - TRY_CAST(regexp_extract(typeof($value), ',(\d+)', 1) AS INTEGER))
                    THEN CAST($value AS VARCHAR)
            END
    END AS value;
