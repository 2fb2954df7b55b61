-- name:     duplicate_judgment
-- title:    items judged more than once for a query
-- for:      ranking
-- severity: error
-- why:      one item would have several grades, and count several times in the ideal order
-- column:   truth.item_id
-- inputs:   truth (query_id, item_id)
-- params:   duplicates VARCHAR DEFAULT 'error'
-- advice:   drop them, or set duplicates=first to keep the highest grade
-- settles:  duplicates=first
SELECT query_id, item_id
FROM truth
WHERE $duplicates = 'error'
GROUP BY query_id, item_id
HAVING count(*) > 1;
