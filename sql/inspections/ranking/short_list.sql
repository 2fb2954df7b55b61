-- name:     short_list
-- title:    lists with fewer than k items
-- for:      ranking
-- severity: note
-- why:      a short list has fewer chances of a hit, and precision@k still divides by k
-- column:   predictions.item_id
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL
-- advice:   predict more items or use a smaller k; missing items count as nonrelevant
SELECT
    queries.system,
    queries.query_id,
    returned_counts.n_returned AS items,
    $k AS k,
    (SELECT count(*) FROM queries WHERE NOT missing) AS total
FROM queries
JOIN returned_counts
    ON returned_counts.system = queries.system AND returned_counts.query_id = queries.query_id
WHERE returned_counts.n_returned < $k;
