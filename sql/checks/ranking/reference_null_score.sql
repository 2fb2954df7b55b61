-- name:     reference_null_score
-- title:    rows whose score is NULL
-- for:      reference
-- severity: error
-- why:      an item without a score has no place in the ranking
-- column:   reference.score
-- inputs:   reference (query_id, item_id, score)
-- advice:   drop these rows or give them the lowest score
SELECT query_id, item_id
FROM reference
WHERE score IS NULL;
