-- name:     numbered_categories
-- title:    Categories of the items, numbered within each item
-- inputs:   item_categories (item_id, category)
-- grain:    item_id, category
-- note:     number is 1 for one category of each item, so that these rows count items; an item spreads the weight 1
--           over its n_own categories
SELECT
    item_id,
    category,
    row_number() OVER (PARTITION BY item_id ORDER BY category) AS number,
    count(*) OVER (PARTITION BY item_id) AS n_own
FROM item_categories;
