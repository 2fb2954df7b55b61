-- name:     lists
-- title:    Lists that count: those of the answered queries of the population, in one slice
-- inputs:   predictions (system, query_id), truth (query_id), population (query_id)
-- grain:    system, query_id, segment
-- note:     an evaluation with slices reads a table in its place, with every query in each of its slices
SELECT system, query_id, 0 AS segment
FROM queries
WHERE NOT missing;
