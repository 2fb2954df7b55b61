-- name:     unknown_category
-- title:    categories that no item of the catalogue has
-- for:      exposure
-- severity: error
-- why:      the value would be 0 for every list, whatever the system recommends
-- column:   items.category
-- inputs:   item_categories (item_id, category)
-- params:   category VARCHAR DEFAULT NULL
-- advice:   give category= one of the categories of the catalogue, in the same spelling
-- note:     nearest is the category whose spelling differs least
SELECT
    $category AS asked,
    (
        SELECT category
        FROM item_categories
        GROUP BY category
        ORDER BY levenshtein(lower(category), lower($category)), category
        LIMIT 1
    ) AS nearest
FROM (
    SELECT count(CASE WHEN category = $category THEN 1 END) AS items
    FROM item_categories
) AS known
WHERE items = 0;
