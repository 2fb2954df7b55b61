-- name:     truth_null_item_id
-- title:    rows with no item_id
-- for:      ranking
-- severity: error
-- column:   truth.item_id
-- inputs:   truth (query_id, item_id, relevance)
-- params:   truth_lists BOOLEAN DEFAULT FALSE
-- advice:   drop or mend these rows
SELECT query_id
FROM truth
WHERE item_id IS NULL
    AND ($truth_lists = FALSE OR relevance > 0);
