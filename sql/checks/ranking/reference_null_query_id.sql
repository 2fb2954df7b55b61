-- name:     reference_null_query_id
-- title:    rows with no query_id
-- for:      reference
-- severity: error
-- why:      such a row belongs to no list of the reference run
-- column:   reference.query_id
-- inputs:   reference (query_id, item_id)
-- advice:   drop or correct these rows
SELECT item_id
FROM reference
WHERE query_id IS NULL;
