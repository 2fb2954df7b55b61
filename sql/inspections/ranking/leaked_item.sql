-- name:     leaked_item
-- title:    relevant items of the truth that the user's own history has
-- for:      history
-- severity: warning
-- why:      a system that was trained on the history has seen these answers, so its values are too high
-- column:   truth.item_id
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id, relevance), history (query_id, item_id)
-- advice:   end the history where the truth begins; if users take an item more than once, these may be repeats
WITH wanted AS (
    SELECT query_id, item_id
    FROM grades
    WHERE is_relevant
)
SELECT wanted.query_id, wanted.item_id, (SELECT count(*) FROM wanted) AS total
FROM wanted
WHERE EXISTS (
    SELECT 1 FROM history WHERE history.query_id = wanted.query_id AND history.item_id = wanted.item_id
);
