-- name:     asked_predictions
-- title:    Predictions of the system and the baseline to explain, for all queries or for one
-- inputs:   predictions (system, query_id, item_id, score, exact_score, position)
-- params:   query VARCHAR DEFAULT NULL,
--           baseline VARCHAR DEFAULT NULL,
--           compared VARCHAR DEFAULT NULL
-- note:     the system has the name '' here, the baseline the name 'baseline'; a check refuses a third system
SELECT
    CASE WHEN system = $baseline THEN 'baseline' ELSE '' END AS system,
    query_id,
    item_id,
    score,
    exact_score,
    position
FROM predictions
WHERE ($query IS NULL OR CAST(query_id AS VARCHAR) = $query)
    AND ($compared IS NULL OR system = $compared OR system = $baseline);
