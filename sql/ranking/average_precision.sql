-- name:     average_precision
-- alias:    ap, map, gmap (agg = gmean)
-- macro:    map_at for map
-- title:    Average precision
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           norm VARCHAR DEFAULT 'relevant'
--               CHECK (norm IN ('relevant', 'min_k', 'min_returned', 'hits', 'k') AND (norm <> 'k' OR k IS NOT NULL))
-- values:   k: as in recall
--           norm=relevant: the sum is divided by the number of relevant items
--           norm=min_k: the sum is divided by min(k, relevant items)
--           norm=min_returned: the sum is divided by min(k, relevant items, returned items)
--           norm=hits: the sum is divided by the number of hits in the top k
--           norm=k: the sum is divided by k
-- idle:     norm WHEN norm = 'min_k' AND k IS NULL
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  sum over hits of precision at the rank of the hit, / m; norm: min(m, k), min(m, k, n), hits in the top k,
--           or k
-- source:   Buckley and Voorhees, SIGIR 2000, doi:10.1145/345508.345543
-- oracle:   ir_measures AP@{k}
-- example:  average_precision(k := 2) = 0.375
SELECT
    system,
    query_id,
    coalesce(
        sum(CAST(hit AS DOUBLE) / rank) FILTER (WHERE rank <= coalesce($k, rank))
            / nullif(
                CASE $norm
                    WHEN 'min_k' THEN least($k, max(m))
                    WHEN 'min_returned' THEN least($k, max(m), max(n_returned))
                    WHEN 'hits' THEN count(*) FILTER (WHERE rank <= coalesce($k, rank))
                    WHEN 'k' THEN $k
                    ELSE max(m)
                END, 0
            ), 0
    ) AS value
FROM relevant
GROUP BY system, query_id;
