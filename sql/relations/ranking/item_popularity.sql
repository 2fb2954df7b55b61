-- name:     item_popularity
-- title:    Items of the history with their popularity and their place among all items
-- inputs:   history (query_id, item_id)
-- params:   popularity VARCHAR DEFAULT 'interactions' CHECK (popularity IN ('interactions', 'users'))
-- values:   popularity=interactions: an item is as popular as its number of interactions
--           popularity=users: an item is as popular as its number of users
-- grain:    item_id
-- note:     head_place is 1 for the most popular item, and tail_place for the least popular one; of equally popular
--           items, the smaller id comes first in both; more_popular is the sum of the popularity
--           of the items at smaller head_places; popularity_place is 1 for the most popular items, and items of equal
--           popularity share it; low_rank is 1 for the least popular items, and n_equal the number of items of
--           this popularity
WITH counted AS (
    SELECT item_id, n_interactions AS popularity
    FROM item_history
    WHERE $popularity = 'interactions'
    UNION ALL
    SELECT item_id, n_users AS popularity
    FROM item_users
    WHERE $popularity = 'users'
)
SELECT
    item_id,
    popularity,
    row_number() OVER (ORDER BY popularity DESC, item_id) AS head_place,
    row_number() OVER (ORDER BY popularity, item_id) AS tail_place,
    coalesce(CAST(sum(popularity) OVER (
        ORDER BY popularity DESC, item_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS DOUBLE), 0e0) AS more_popular,
    dense_rank() OVER (ORDER BY popularity DESC) AS popularity_place,
    rank() OVER (ORDER BY popularity) AS low_rank,
    count(*) OVER (PARTITION BY popularity) AS n_equal
FROM counted;
