-- name:     duplicate_prediction
-- title:    items predicted more than once for a query
-- for:      ranking
-- severity: error
-- why:      a relevant item would be several hits, so that recall can exceed 1
-- column:   predictions.item_id
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance)
-- params:   duplicates VARCHAR DEFAULT 'error',
--           reaching BOOLEAN DEFAULT FALSE
-- advice:   drop them, name the column that tells the runs apart with system=, or set duplicates=first
-- settles:  duplicates=first
-- note:     reaching: where all metrics have a cut-off, only rows that can come to it are looked at, because others
--           change no number; stacked_prediction looks at all rows of some queries
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
