-- name:     history_null_query_id
-- title:    interactions with no query_id
-- for:      history
-- severity: error
-- why:      they would count as one more user, whom no prediction is for
-- column:   history.query_id
-- inputs:   history (query_id, item_id)
-- params:   popularity VARCHAR DEFAULT 'users'
-- advice:   drop or correct these rows
-- note:     popularity=interactions reads no users
SELECT item_id
FROM history
WHERE query_id IS NULL AND $popularity = 'users';
