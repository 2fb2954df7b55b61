-- name:     repeated_items
-- title:    Items that occur several times in a table of items
-- inputs:   items (item_id)
-- grain:    item_id
SELECT item_id, count(*) AS copies
FROM items
WHERE item_id IS NOT NULL
GROUP BY item_id
HAVING count(*) > 1;
