-- name:     duplicate_item
-- title:    items that the catalogue has more than once
-- for:      items
-- severity: error
-- why:      such an item counts several times, so the coverage would be wrong
-- column:   items.item_id
-- inputs:   items (item_id)
-- advice:   keep one row for each item; several categories of an item belong into one list
SELECT item_id
FROM items
GROUP BY item_id
HAVING count(*) > 1;
