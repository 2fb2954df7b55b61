-- name:     are_comparable
-- title:    Whether ids of two types are of one kind, or a column is missing, which is a separate finding
-- params:   one VARCHAR,
--           other VARCHAR
-- note:     ids of different kinds are equal only after a silent cast. One call reads both types, because DuckDB binds
--           an argument wherever a macro reads it
SELECT
    regexp_full_match(
        concat($one, '|', $other, '|'),
        '((U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL\(\d+,0\))\|){2}|(VARCHAR\|){2}|(UUID\|){2}'
        || '|(DATE\|){2}|(BOOLEAN\|){2}|(TIMESTAMP(_S|_MS|_NS)?\|){2}'
        || '|((TIMESTAMP WITH TIME ZONE|TIMESTAMPTZ_NS)\|){2}|(?s:"NULL"\|.*|.*\|"NULL"\|)'
    ) AS value;
