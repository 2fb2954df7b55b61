-- name:     weighed
-- title:    The queries that count, with their weights
-- inputs:   unweighted (query_id), query_weights (query_id, attributes)
-- note:     a weight of 0 leaves a query out; what is no weight is refused by bad_weights
SELECT unweighted.*, TRY_CAST(query_weights.attributes AS DOUBLE) AS weight
FROM unweighted
INNER JOIN query_weights ON query_weights.query_id = unweighted.query_id
WHERE TRY_CAST(query_weights.attributes AS DOUBLE) > 0;
