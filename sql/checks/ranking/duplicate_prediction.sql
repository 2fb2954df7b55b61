-- name:     duplicate_prediction
-- title:    items predicted more than once for a query
-- for:      ranking
-- severity: error
-- why:      a relevant item would count as several hits, so recall could exceed 1
-- column:   predictions.item_id
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance)
-- params:   duplicates VARCHAR DEFAULT 'error',
--           reaching BOOLEAN DEFAULT FALSE
-- advice:   drop them, name the column that identifies the run with system=, or set duplicates=first
-- settles:  duplicates=first
-- note:     reaching: if all metrics have a cut-off, the check searches only rows that can be within it, because other
--           rows change no value; stacked_prediction searches all rows of some queries
SELECT system, query_id, item_id
FROM predictions
WHERE $duplicates = 'error' AND NOT $reaching
GROUP BY system, query_id, item_id
HAVING count(*) > 1
UNION ALL
SELECT system, query_id, item_id
FROM contenders
WHERE $duplicates = 'error' AND $reaching
GROUP BY system, query_id, item_id
HAVING count(*) > 1;
