-- name:     asked_predictions
-- title:    Predictions of the systems to explain, for all queries or for one
-- inputs:   predictions (system, query_id, item_id, score, exact_score, position)
-- params:   query VARCHAR DEFAULT NULL,
--           baseline VARCHAR DEFAULT NULL,
--           compared VARCHAR DEFAULT NULL,
--           population VARCHAR DEFAULT 'truth'
-- note:     the system has the name '' here, and the baseline the name 'baseline'; the other systems are there only if
--           they say which queries count
SELECT * REPLACE (
    CASE
        WHEN system = $baseline THEN 'baseline'
        WHEN $compared IS NULL OR system = $compared THEN ''
        ELSE 'other ' || system
    END AS system
)
FROM predictions
WHERE ($query IS NULL OR CAST(query_id AS VARCHAR) = $query)
    AND ($compared IS NULL OR system = $compared OR system = $baseline OR $population IN ('predictions', 'both'));
