-- name:     popularity_totals
-- title:    Number of items, sum of their popularity, and number of interactions or users
-- inputs:   history (query_id, item_id)
-- params:   popularity VARCHAR DEFAULT 'interactions' CHECK (popularity IN ('interactions', 'users'))
-- values:   popularity: as in item_popularity
-- grain:    n_items
-- note:     total is the number of interactions, or of users: an item of popularity total is in every interaction,
--           or known to every user
WITH sums AS (
    SELECT
        count(*) AS n_items,
        CAST(sum(popularity) AS DOUBLE) AS popularity,
        CAST(max(popularity) AS DOUBLE) AS largest,
        min(popularity) AS smallest
    FROM item_popularity
)
SELECT sums.n_items, sums.popularity, sums.largest, sums.smallest, sums.popularity AS total
FROM sums
WHERE $popularity = 'interactions'
UNION ALL
SELECT
    sums.n_items,
    sums.popularity,
    sums.largest,
    sums.smallest,
    CAST(history_users.n_users AS DOUBLE) AS total
FROM sums
CROSS JOIN history_users
WHERE $popularity = 'users';
