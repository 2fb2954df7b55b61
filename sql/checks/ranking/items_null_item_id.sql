-- name:     items_null_item_id
-- title:    rows with no item_id
-- for:      items
-- severity: error
-- why:      an item without an id can never be recommended, so the coverage would be too low
-- column:   items.item_id
-- inputs:   items (item_id)
-- advice:   drop or correct these rows
SELECT item_id
FROM items
WHERE item_id IS NULL;
