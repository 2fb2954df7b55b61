-- name:     item_users
-- title:    Items of the history with their number of users and of interactions
-- inputs:   history (query_id, item_id)
-- grain:    item_id
-- note:     it is kept in a table, which all later steps read; sorting takes less time and memory than finding the
--           different pairs
SELECT item_id, max(place) AS n_users, count(*) AS n_interactions
FROM (
    SELECT item_id, dense_rank() OVER (PARTITION BY item_id ORDER BY query_id) AS place
    FROM history
) AS places
GROUP BY item_id;
