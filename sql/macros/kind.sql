-- name:     kind
-- title:    Kind of ids of a type; ids of different kinds are equal only after a silent cast
-- params:   type VARCHAR
-- note:     NULL for types of columns that are missing, or are not ids. The type is read once, because DuckDB binds an
--           argument wherever a macro reads it
SELECT
    list_extract(string_split(list_extract(string_split(
        '|TINYINT=whole number|SMALLINT=whole number|INTEGER=whole number|BIGINT=whole number|HUGEINT=whole number'
        || '|UTINYINT=whole number|USMALLINT=whole number|UINTEGER=whole number|UBIGINT=whole number'
        || '|UHUGEINT=whole number|DECIMAL=whole number|VARCHAR=VARCHAR|UUID=UUID|DATE=DATE|BOOLEAN=BOOLEAN'
        || '|TIMESTAMP=TIMESTAMP|TIMESTAMP_S=TIMESTAMP|TIMESTAMP_MS=TIMESTAMP|TIMESTAMP_NS=TIMESTAMP'
        || '|TIMESTAMP WITH TIME ZONE=TIMESTAMP WITH TIME ZONE|TIMESTAMPTZ_NS=TIMESTAMP WITH TIME ZONE|',
        '|' || regexp_replace($type, '\(\d+,0\)$', '') || '='
    ), 2), '|'), 1) AS value;
