-- name:     user_categories
-- title:    Share of each category in the interactions of a user
-- inputs:   history (query_id, item_id), item_categories (item_id, category)
-- grain:    query_id, category
-- note:     an interaction spreads the weight 1 over the categories of its item; items without a category are left out
WITH weighed AS (
    SELECT
        history.query_id,
        numbered_categories.category,
        sum(1e0 / numbered_categories.n_own) AS weight
    FROM history
    JOIN numbered_categories ON numbered_categories.item_id = history.item_id
    GROUP BY history.query_id, numbered_categories.category
),
totals AS (
    SELECT query_id, sum(weight) AS total
    FROM weighed
    GROUP BY query_id
)
SELECT weighed.query_id, weighed.category, weighed.weight / totals.total AS share
FROM weighed
JOIN totals ON totals.query_id = weighed.query_id;
