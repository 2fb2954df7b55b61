-- name:     is_number
-- title:    Whether a type is that of numbers, or of a missing column
-- params:   type VARCHAR
SELECT
    regexp_full_match(
        $type, '"NULL"|U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL.*') AS value;
