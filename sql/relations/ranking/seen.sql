-- name:     seen
-- title:    Returned items, each with whether the user has it in the history
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id)
-- grain:    system, query_id, item_id
-- note:     only the pairs that are both returned and in the history are made distinct, because the history can be
--           much longer than the lists
WITH known_items AS (
    SELECT DISTINCT ranked.system, ranked.query_id, ranked.item_id
    FROM ranked
    JOIN history ON history.query_id = ranked.query_id AND history.item_id = ranked.item_id
)
SELECT
    ranked.system,
    ranked.query_id,
    ranked.item_id,
    ranked.rank,
    CASE WHEN known_items.item_id IS NULL THEN 0 ELSE 1 END AS is_seen
FROM ranked
LEFT JOIN known_items
    ON known_items.system = ranked.system
        AND known_items.query_id = ranked.query_id
        AND known_items.item_id = ranked.item_id;
