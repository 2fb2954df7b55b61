-- name:     mixed_ids
-- title:    Ids that have another type in the predictions than in the truth
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id), population (query_id)
SELECT
    CASE
        WHEN kind(predicted_query) <> kind(judged_query)
            THEN 'query_id: predictions have ' || predicted_query || ', the truth has ' || judged_query
        WHEN kind(predicted_item) <> kind(judged_item)
            THEN 'item_id: predictions have ' || predicted_item || ', the truth has ' || judged_item
        ELSE 'query_id: the population has ' || listed_query || ', the truth has ' || judged_query
    END || '; make them one kind with a CAST' AS problem
FROM (
    SELECT
        (SELECT typeof(query_id) FROM predictions LIMIT 1) AS predicted_query,
        (SELECT typeof(query_id) FROM truth LIMIT 1) AS judged_query,
        (SELECT typeof(item_id) FROM predictions LIMIT 1) AS predicted_item,
        (SELECT typeof(item_id) FROM truth LIMIT 1) AS judged_item,
        (SELECT typeof(query_id) FROM population LIMIT 1) AS listed_query
) AS found
WHERE kind(predicted_query) <> kind(judged_query)
    OR kind(predicted_item) <> kind(judged_item)
    OR kind(listed_query) <> kind(judged_query);
