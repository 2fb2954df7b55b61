-- name:     own_items
-- title:    Users with the items of their history, once each
-- inputs:   history (query_id, item_id)
-- grain:    query_id, item_id
SELECT DISTINCT query_id, item_id
FROM history;
