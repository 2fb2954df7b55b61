-- name:     null_relevance
-- title:    rows whose relevance is NULL
-- for:      ranking
-- severity: error
-- why:      the item may be irrelevant, or not judged at all
-- column:   truth.relevance
-- inputs:   truth (query_id, item_id, relevance)
-- params:   null_relevance VARCHAR DEFAULT 'error'
-- advice:   drop them, or set null_relevance=zero if NULL means nonrelevant
-- settles:  null_relevance=zero
SELECT query_id, item_id
FROM truth
WHERE $null_relevance = 'error' AND relevance IS NULL;
