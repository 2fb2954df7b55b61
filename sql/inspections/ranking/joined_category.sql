-- name:     joined_category
-- title:    categories of the catalogue that look like a list in one text
-- for:      items
-- severity: warning
-- why:      such a text counts as one category, so items that share a category seem to differ
-- column:   items.category
-- inputs:   item_categories (item_id, category)
-- portable: no, except spark: the check searches in texts
-- advice:   make the text a list with its separator, as in "SELECT * REPLACE (string_split(category, '|') AS category)
--           FROM ..."; if it begins with [, read it as JSON, or CAST(category AS VARCHAR[])
-- note:     reported if most categories look like this, and no item has several categories
WITH known_categories AS (
    SELECT
        category,
        count(*) AS items,
        CASE
            WHEN category LIKE '%|%' OR category LIKE '%,%' OR category LIKE '%;%' OR category LIKE '[%' THEN 1
        END AS is_joined
    FROM item_categories
    GROUP BY category
),
counted AS (
    SELECT count(*) AS total, count(is_joined) AS joined, sum(items) AS items
    FROM known_categories
),
categorized_items AS (
    SELECT count(DISTINCT item_id) AS items
    FROM item_categories
)
SELECT known_categories.category, known_categories.items, counted.total
FROM known_categories
CROSS JOIN counted
CROSS JOIN categorized_items
WHERE known_categories.is_joined = 1 AND 2 * counted.joined > counted.total AND counted.items = categorized_items.items;
