-- name:     sliced
-- title:    Every query twice: among all queries, and in its slice
-- inputs:   per_query (query_id), attributes (query_id, attributes)
-- params:   slice_label VARCHAR
SELECT per_query.*, 0 AS slice_number, '' AS slice, NULL AS attributes
FROM per_query
UNION ALL
SELECT per_query.*, 1 AS slice_number, $slice_label AS slice, attributes.attributes
FROM per_query
LEFT JOIN attributes ON attributes.query_id = per_query.query_id;
