-- name:     idcg
-- title:    Ideal discounted cumulative gain
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           gain VARCHAR DEFAULT 'linear' CHECK (gain IN ('linear', 'exp2', 'binary')),
--           discount VARCHAR DEFAULT 'log2' CHECK (discount IN ('log2', 'log2_clip', 'reciprocal')),
--           ideal VARCHAR DEFAULT 'judged'
--               CHECK (ideal IN ('judged', 'returned', 'full_k') AND (ideal <> 'full_k' OR k IS NOT NULL))
-- idle:     rel WHEN gain <> 'binary'; ties WHEN TRUE; scores WHEN TRUE; unjudged WHEN TRUE; catalog_size WHEN TRUE
-- depth:    CASE WHEN ideal <> 'returned' THEN k END
-- grain:    system, query_id
-- range:    [0, inf), higher is better
-- formula:  DCG@k of the best order: of all judged items, of the returned ones, or of k slots with the largest gain
-- source:   Järvelin and Kekäläinen, TOIS 2002, doi:10.1145/582415.582418
-- oracle:   reference
-- example:  idcg(k := 2) = 3.13093
SELECT
    system,
    query_id,
    sum(gain * discount) FILTER (WHERE position <= coalesce($k, position)) AS value
FROM gains
GROUP BY system, query_id;
