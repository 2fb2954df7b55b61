-- name:     is_number
-- title:    Whether a type is that of numbers, or of a column that is not there
-- params:   type VARCHAR
SELECT
    regexp_full_match(
        $type, '"NULL"|U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL.*|FLOAT|DOUBLE'
    ) AS value;
