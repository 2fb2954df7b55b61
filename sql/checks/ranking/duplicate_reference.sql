-- name:     duplicate_reference
-- title:    items that the reference run has more than once for a query
-- for:      reference
-- severity: error
-- why:      an item would have two ranks, so the overlap with it would be counted twice
-- column:   reference.item_id
-- inputs:   reference (query_id, item_id)
-- advice:   drop them; a reference is one run of one system
SELECT query_id, item_id
FROM reference
GROUP BY query_id, item_id
HAVING count(*) > 1;
