-- name:     is_number
-- title:    Whether a type is that of numbers, or of a missing column
-- params:   type VARCHAR
SELECT
    ltrim($type, 'U') IN ('"NULL"', 'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'FLOAT', 'DOUBLE')
    OR starts_with($type, 'DECIMAL') AS value;
