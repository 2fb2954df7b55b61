-- name:     tied_score
-- title:    groups of equal scores within a query, where the tool's order of ties is undefined
-- for:      ranking
-- severity: error
-- why:      the tool's value depends on an unknown order
-- column:   predictions.score
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance)
-- params:   untied BOOLEAN DEFAULT FALSE
-- advice:   remove like=, or make the scores unique; duckmetrics conventions shows the value with item ids breaking the
--           ties
SELECT system, query_id, score
FROM candidates
WHERE $untied
GROUP BY system, query_id, score
HAVING count(*) > 1;
