-- name:     wrong_type
-- title:    Problem of the type of a column of numbers, NULL if there is none
-- params:   value DOUBLE,
--           name VARCHAR,
--           flags BOOLEAN
-- note:     the type is known before the rows are read, so that nothing is left of this; flags allows true and false
SELECT
    CASE
        WHEN regexp_full_match(
            typeof($value), '"NULL"|U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL.*|FLOAT|DOUBLE'
        ) OR ($flags AND typeof($value) = 'BOOLEAN') THEN NULL
        ELSE $name || ' is ' || typeof($value) || ', not a number; cast it to DOUBLE'
    END AS value;
