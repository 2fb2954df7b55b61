-- name:     tied_score
-- title:    scores more than once in a query, in an order that this tool does not define
-- for:      ranking
-- severity: error
-- why:      the tool's value depends on an order that is not known
-- column:   predictions.score
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance)
-- params:   untied BOOLEAN DEFAULT FALSE
-- advice:   leave like= out, or break the ties
SELECT system, query_id, score
FROM candidates
WHERE $untied
GROUP BY system, query_id, score
HAVING count(*) > 1;
