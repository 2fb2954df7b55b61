-- name:     item_vectors
-- title:    Vectors of the items, as the metrics read them
-- params:   source VARCHAR,
--           item_id VARCHAR DEFAULT 'item_id',
--           vector VARCHAR DEFAULT 'vector'
-- grain:    item_id, dimension
-- note:     a missing column has the type "NULL", which is known before the rows are read
WITH named AS (
    SELECT
        coalesce(*COLUMNS(one_of($item_id))) AS item_id,
        coalesce(*COLUMNS(one_of($vector))) AS vector,
        typeof(coalesce(*COLUMNS(one_of($vector)))) AS vector_type
    FROM (SELECT *, NULL AS "_duckmetrics_none" FROM query($source)) AS given
),
listed AS (
    SELECT
        identifier(item_id, $item_id) AS item_id,
        CASE
            WHEN vector_type = '"NULL"'
                THEN error('duckmetrics: items: no column ''' || $vector || '''; name it with vector := ...')
            WHEN NOT ends_with(vector_type, ']') OR NOT is_number(regexp_replace(vector_type, '\[\d*\]$', ''))
                THEN error('duckmetrics: items: column ''' || $vector || ''' is ' || vector_type
                    || ', not a list of numbers; give each item a vector in one column')
            ELSE CAST(vector AS DOUBLE[])
        END AS vector
    FROM named
)
SELECT
    item_id,
    generate_subscripts(vector, 1) AS dimension,
    unnest(vector) AS value
FROM listed;
