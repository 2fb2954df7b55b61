-- name:     repeated_rank
-- title:    ranks that several items of a query share
-- for:      ranking
-- severity: error
-- why:      the order of these items is not known
-- column:   predictions.score
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance)
-- params:   by_rank BOOLEAN DEFAULT FALSE,
--           reaching BOOLEAN DEFAULT FALSE
-- advice:   give each item its own rank, or name the column that identifies the run with system=
-- note:     reaching: as in duplicate_prediction
SELECT system, query_id, -candidates.score AS score, count(*) AS items
FROM candidates
WHERE $by_rank AND NOT $reaching
GROUP BY system, query_id, candidates.score
HAVING count(*) > 1
UNION ALL
SELECT system, query_id, -contenders.score AS score, count(*) AS items
FROM contenders
WHERE $by_rank AND $reaching
GROUP BY system, query_id, contenders.score
HAVING count(*) > 1;
