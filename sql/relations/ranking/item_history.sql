-- name:     item_history
-- title:    Items of the history with their number of interactions
-- inputs:   history (item_id)
-- grain:    item_id
-- note:     it is kept in a table, which all later steps read
SELECT item_id, count(*) AS n_interactions
FROM history
GROUP BY item_id;
