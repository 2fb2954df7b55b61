-- name:     truth_null_query_id
-- title:    rows with no query_id
-- for:      ranking
-- severity: error
-- why:      such a judgment belongs to no query
-- column:   truth.query_id
-- inputs:   truth (query_id, item_id, relevance)
-- advice:   drop or correct these rows
SELECT item_id
FROM truth
WHERE query_id IS NULL;
