-- name:     graded_items
-- title:    Judged items, once each, with the highest grade
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id, relevance)
-- grain:    query_id, item_id
-- note:     with duplicates=count, the truth may judge an item several times
SELECT
    query_id,
    item_id,
    max(relevance) AS relevance,
    max(CASE WHEN is_relevant THEN 1 ELSE 0 END) AS relevant
FROM grades
GROUP BY query_id, item_id;
