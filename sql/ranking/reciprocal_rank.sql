-- name:     reciprocal_rank
-- alias:    rr, mrr
-- title:    Reciprocal rank of the first relevant item
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- values:   k: as in recall
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  1 / rank of the first relevant item; 0 when it is not returned or lies beyond k
-- source:   Voorhees, TREC-8 1999
-- oracle:   ir_measures RR@{k}
-- example:  reciprocal_rank() = 0.75
SELECT
    system,
    query_id,
    coalesce(1e0 / min(rank) FILTER (WHERE rank <= coalesce($k, rank)), 0) AS value
FROM relevant
GROUP BY system, query_id;
