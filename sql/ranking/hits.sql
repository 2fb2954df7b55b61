-- name:     hits
-- title:    Number of relevant items returned
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- values:   k: as in recall
-- idle:     ties WHEN k IS NULL; scores WHEN k IS NULL; unjudged WHEN k IS NULL;
--           catalog_size WHEN k IS NULL
-- depth:    k
-- grain:    system, query_id
-- range:    [0, inf), higher is better
-- formula:  h, the relevant items at ranks <= k
-- source:   trec_eval num_rel_ret
-- oracle:   ir_measures NumRet(rel=1)
-- example:  hits(k := 2) = 1
SELECT
    system,
    query_id,
    CAST(count(*) FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE) AS value
FROM relevant
GROUP BY system, query_id;
