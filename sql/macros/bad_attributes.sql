-- name:     bad_attributes
-- title:    Attributes that no table has, or that vary within a query
-- params:   slice_label VARCHAR
-- inputs:   attributes (query_id, attributes, others, is_whole)
SELECT
    CASE
        WHEN NOT is_whole
            THEN 'by: no table has all of ' || $slice_label
                || '; name columns of one table: queries, truth or predictions'
        ELSE 'by: ' || $slice_label || ' varies within a query (query_id=' || CAST(query_id AS VARCHAR) || ', '
            || CAST(attributes AS VARCHAR) || ' and ' || CAST(others AS VARCHAR)
            || '); slice by attributes of the query, or give a table of the queries with queries := ...'
    END AS problem
FROM attributes
WHERE NOT is_whole OR attributes < others
LIMIT 1;
