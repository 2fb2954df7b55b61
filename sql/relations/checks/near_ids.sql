-- name:     near_ids
-- title:    Ids of one table that match an id of the other table only after normalization
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id)
-- grain:    id_column, plain
WITH pairs AS (
    SELECT
        id_column,
        plain,
        min(CASE WHEN is_predicted THEN id END) AS in_predictions,
        min(CASE WHEN is_judged THEN id END) AS in_truth
    FROM spellings
    WHERE is_predicted <> is_judged
    GROUP BY id_column, plain
)
SELECT id_column, plain, in_predictions, in_truth
FROM pairs
WHERE in_predictions IS NOT NULL AND in_truth IS NOT NULL;
