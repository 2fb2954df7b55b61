-- name:     reference_null_item_id
-- title:    rows with no item_id
-- for:      reference
-- severity: error
-- why:      such a row matches no recommended item, but takes up a rank
-- column:   reference.item_id
-- inputs:   reference (query_id, item_id)
-- advice:   drop or correct these rows
SELECT query_id
FROM reference
WHERE item_id IS NULL;
