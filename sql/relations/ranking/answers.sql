-- name:     answers
-- title:    Queries each system answered, with the number of rows predicted
-- inputs:   predictions (system, query_id)
-- grain:    system, query_id
SELECT
    system,
    query_id,
    count(*) AS n_predicted
FROM predictions
GROUP BY system, query_id;
