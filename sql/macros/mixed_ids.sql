-- name:     mixed_ids
-- title:    Ids that have another type in the predictions than in the truth
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id)
SELECT
    CASE
        WHEN kind(predicted_query) <> kind(judged_query)
            THEN 'query_id: predictions have ' || predicted_query || ', the truth has ' || judged_query
        ELSE 'item_id: predictions have ' || predicted_item || ', the truth has ' || judged_item
    END || '; make them one kind with a CAST' AS problem
FROM (
    SELECT typeof(query_id) AS predicted_query, typeof(item_id) AS predicted_item FROM predictions LIMIT 1
) AS predicted
CROSS JOIN (SELECT typeof(query_id) AS judged_query, typeof(item_id) AS judged_item FROM truth LIMIT 1) AS judged
WHERE kind(predicted_query) <> kind(judged_query)
    OR kind(predicted_item) <> kind(judged_item);
