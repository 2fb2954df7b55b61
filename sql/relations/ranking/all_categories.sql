-- name:     all_categories
-- title:    Number of categories that the items of the catalogue have
-- inputs:   item_categories (category)
-- grain:    one
-- note:     one is the key of the only row, so that a join of it is left out where nobody reads the number
SELECT 1 AS one, count(*) AS n_all
FROM (SELECT DISTINCT category FROM item_categories) AS known;
