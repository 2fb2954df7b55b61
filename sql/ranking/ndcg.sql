-- name:     ndcg
-- title:    Normalized discounted cumulative gain
-- usual:    ndcg@10
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           gain VARCHAR DEFAULT 'linear' CHECK (gain IN ('linear', 'exp2', 'binary')),
--           discount VARCHAR DEFAULT 'log2' CHECK (discount IN ('log2', 'log2_clip', 'reciprocal')),
--           ideal VARCHAR DEFAULT 'judged'
--               CHECK (ideal IN ('judged', 'returned', 'full_k') AND (ideal <> 'full_k' OR k IS NOT NULL))
-- switches: ties VARCHAR DEFAULT 'item_asc' CHECK (ties IN ('item_asc', 'item_desc', 'item_asc_text', 'item_desc_text',
--               'pessimistic', 'optimistic', 'input', 'expected'))
-- idle:     rel WHEN gain <> 'binary'
-- depth:    CASE WHEN ties <> 'expected' AND ideal <> 'returned' THEN k END
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  DCG@k / IDCG@k, DCG@k = sum over ranks i <= k of gain(rel_i) / log2(i + 1)
-- source:   Järvelin and Kekäläinen, TOIS 2002, doi:10.1145/582415.582418
-- oracle:   ir_measures nDCG@{k}
-- example:  ndcg(k := 2) = 0.640742
SELECT
    system,
    query_id,
    coalesce(dcg.value, 0) / nullif(idcg.value, 0) AS value
FROM idcg
LEFT JOIN dcg USING (system, query_id);
