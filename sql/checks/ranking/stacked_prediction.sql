-- name:     stacked_prediction
-- title:    items predicted more than once for a query, for example because one table holds several systems
-- for:      ranking
-- severity: error
-- why:      the lists of several systems would be evaluated as one long list
-- column:   predictions.item_id
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance)
-- params:   duplicates VARCHAR DEFAULT 'error',
--           reaching BOOLEAN DEFAULT FALSE,
--           until VARCHAR DEFAULT NULL
-- portable: no, other engines search all rows for duplicates
-- advice:   name the column that identifies the system with system=, drop them, or set duplicates=first
-- settles:  duplicates=first
-- note:     if the search for duplicates covers only rows within a cut-off, the longest list may hide the others; this
--           check searches all rows of the first queries; until is the last of these queries, if it is known, so that
--           the rest of a sorted file need not be read
WITH probed AS (
    SELECT DISTINCT query_id
    FROM (SELECT query_id FROM contenders ORDER BY query_id LIMIT 5000) AS first_rows
),
copies AS (
    SELECT predictions.system, predictions.query_id, predictions.item_id, count(*) AS copies
    FROM predictions
    JOIN probed ON probed.query_id = predictions.query_id
    WHERE $until IS NULL OR predictions.query_id <= $until
    GROUP BY predictions.system, predictions.query_id, predictions.item_id
)
SELECT system, query_id, item_id, copies
FROM copies
WHERE $duplicates = 'error' AND $reaching AND copies > 1;
