-- name:     history_null_item_id
-- title:    interactions with no item_id
-- for:      history
-- severity: error
-- why:      they would count as one more item, which changes every share of popularity
-- column:   history.item_id
-- inputs:   history (query_id, item_id)
-- params:   counted BOOLEAN DEFAULT FALSE
-- advice:   drop or correct these rows
-- note:     counted: the items of the history are in a table, which is much smaller than the history
SELECT query_id
FROM history
WHERE item_id IS NULL AND NOT $counted
UNION ALL
SELECT history.query_id
FROM history
CROSS JOIN item_history
WHERE $counted AND item_history.item_id IS NULL AND history.item_id IS NULL;
