-- name:     is_id
-- title:    Whether values of a type are exact, as ids must be, or the column is not there
-- params:   type VARCHAR
SELECT
    regexp_full_match(
        $type,
        '"NULL"|U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL\(\d+,0\)|VARCHAR|UUID|DATE|BOOLEAN|TIMESTAMP.*'
    ) AS value;
