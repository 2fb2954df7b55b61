-- name:     item_users
-- title:    Items of the history with their number of users
-- inputs:   history (query_id, item_id)
-- grain:    item_id
-- note:     it is kept in a table, which all later steps read
SELECT item_id, count(*) AS n_users
FROM (SELECT DISTINCT query_id, item_id FROM history) AS pairs
GROUP BY item_id;
