-- name:     is_id
-- title:    Whether values of a type are exact, as ids must be, or the column is missing
-- params:   type VARCHAR
SELECT
    ltrim($type, 'U') IN ('"NULL"', 'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT')
    OR $type IN ('VARCHAR', 'UUID', 'DATE', 'BOOLEAN')
    OR starts_with($type, 'TIMESTAMP')
    OR (starts_with($type, 'DECIMAL') AND ends_with($type, ',0)')) AS value;
