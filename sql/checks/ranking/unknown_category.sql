-- name:     unknown_category
-- title:    categories that no item of the catalogue has
-- for:      exposure
-- severity: error
-- why:      the value would be 0 for every list, whatever the system recommends
-- column:   items.category
-- inputs:   item_categories (item_id, category)
-- params:   category VARCHAR DEFAULT NULL
-- advice:   give category= one of the categories of the catalogue, in the same spelling
-- note:     first_category is the first category of the catalogue in the order of text
SELECT $category AS asked, first_category
FROM (
    SELECT min(category) AS first_category, count(CASE WHEN category = $category THEN 1 END) AS items
    FROM item_categories
) AS known
WHERE items = 0;
