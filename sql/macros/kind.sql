-- name:     kind
-- title:    Kind of ids of a type; ids of different kinds are equal only after a silent cast
-- params:   type VARCHAR
SELECT
    CASE
        WHEN ltrim($type, 'U') IN ('TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT')
            OR starts_with($type, 'DECIMAL') THEN 'whole number'
        WHEN $type IN ('TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS') THEN 'TIMESTAMP'
        ELSE $type
    END AS value;
