-- name:     read_nested_json
-- title:    Rows of a run or of qrels as JSON, {query: {item: value}}
-- params:   path VARCHAR, size INTEGER DEFAULT 16777216
-- values:   size: the largest size of a file, in bytes
-- grain:    query_id, item_id
SELECT query_id, item.key AS item_id, item.value AS value
FROM (
    SELECT query.key AS query_id, unnest(map_entries(query.value)) AS item
    FROM (
        SELECT unnest(map_entries(json)) AS query
        FROM read_json(
            $path, format = 'unstructured', records = FALSE, maximum_object_size = $size,
            columns = {'json': 'MAP(VARCHAR, MAP(VARCHAR, DOUBLE))'}
        )
    ) AS queries
) AS items;
