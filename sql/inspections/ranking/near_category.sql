-- name:     near_category
-- title:    categories of the catalogue whose spelling differs little from an unknown one
-- for:      unknown_category
-- severity: warning
-- why:      a category that is spelled differently does not match
-- column:   items.category
-- inputs:   item_categories (item_id, category)
-- params:   category VARCHAR DEFAULT NULL
-- portable: no, except spark: spellings are compared by their edit distance
-- advice:   write the category as the catalogue does, if they mean the same
-- note:     at most half of the letters may differ
WITH distances AS (
    SELECT category, levenshtein(lower(category), lower($category)) AS distance
    FROM item_categories
    WHERE $category IS NOT NULL
    GROUP BY category
),
nearest AS (
    SELECT min(distance) AS distance, count(CASE WHEN category = $category THEN 1 END) AS same
    FROM distances
)
SELECT $category AS asked, distances.category AS known
FROM distances
JOIN nearest ON nearest.distance = distances.distance
WHERE $category IS NOT NULL AND nearest.same = 0 AND 2 * distances.distance <= length($category);
