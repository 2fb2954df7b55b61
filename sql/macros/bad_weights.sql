-- name:     bad_weights
-- title:    Weights that no table has, that vary within a query, or that are no weights
-- params:   weight VARCHAR
-- inputs:   unweighted (query_id), query_weights (query_id, attributes, others, is_whole)
-- note:     a query that the table of the weights lacks has the weight NULL
SELECT
    'weight: ' || CASE
        WHEN NOT query_weights.is_whole
            THEN 'no table has a column ''' || $weight || '''; name one of queries, truth or predictions'
        WHEN NOT is_number(typeof(query_weights.attributes))
            THEN 'column ''' || $weight || ''' is ' || typeof(query_weights.attributes)
                || ', and a weight is a number; CAST it, or name another column'
        WHEN query_weights.attributes < query_weights.others
            THEN 'column ''' || $weight || ''' varies within a query (query_id=' || CAST(unweighted.query_id AS VARCHAR)
                || ', ' || CAST(query_weights.attributes AS VARCHAR) || ' and ' || CAST(query_weights.others AS VARCHAR)
                || '); give a table of the queries with queries := ...'
        ELSE 'column ''' || $weight || ''' is no weight for query_id=' || CAST(unweighted.query_id AS VARCHAR) || ' ('
            || coalesce(CAST(query_weights.attributes AS VARCHAR), 'NULL')
            || '); give every query a number from 1e-150 to 1e150; 0 leaves a query out'
    END AS problem
FROM unweighted
LEFT JOIN query_weights ON query_weights.query_id = unweighted.query_id
WHERE NOT is_number(typeof(query_weights.attributes))
    OR NOT query_weights.is_whole
    OR query_weights.attributes < query_weights.others
    OR NOT coalesce(
        TRY_CAST(query_weights.attributes AS DOUBLE) = 0
            OR TRY_CAST(query_weights.attributes AS DOUBLE) BETWEEN 1e-150 AND 1e150,
        FALSE
    );
