-- name:     kind
-- title:    Kind of ids of a type; ids of different kinds are equal only after a silent cast
-- params:   type VARCHAR
SELECT
    CASE
        WHEN regexp_full_match($type, 'U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL.*') THEN 'whole number'
        WHEN regexp_full_match($type, 'TIMESTAMP(_S|_MS|_NS)?') THEN 'TIMESTAMP'
        ELSE $type
    END AS value;
