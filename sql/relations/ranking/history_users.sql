-- name:     history_users
-- title:    Number of users of the history
-- inputs:   history (query_id)
-- grain:    n_users
-- note:     it is kept in a table, which all later steps read
SELECT count(*) AS n_users
FROM (SELECT DISTINCT query_id FROM history) AS users;
