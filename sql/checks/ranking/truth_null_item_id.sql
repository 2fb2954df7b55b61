-- name:     truth_null_item_id
-- title:    rows with no item_id
-- for:      ranking
-- severity: error
-- why:      an item without an id can never be found, so recall would be too low
-- column:   truth.item_id
-- inputs:   truth (query_id, item_id, relevance)
-- params:   truth_lists BOOLEAN DEFAULT FALSE
-- advice:   drop or correct these rows
SELECT query_id
FROM truth
WHERE item_id IS NULL
    AND ($truth_lists = FALSE OR relevance > 0);
