-- name:     dcg
-- title:    Discounted cumulative gain
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           gain VARCHAR DEFAULT 'linear' CHECK (gain IN ('linear', 'exp2', 'binary')),
--           discount VARCHAR DEFAULT 'log2' CHECK (discount IN ('log2', 'log2_clip', 'reciprocal'))
-- switches: ties VARCHAR DEFAULT 'item_asc' CHECK (ties IN ('item_asc', 'item_desc', 'item_asc_text', 'item_desc_text',
--               'pessimistic', 'optimistic', 'input', 'expected'))
-- values:   k: as in recall
--           ties=expected: the mean over all orders of the equal scores
-- idle:     rel WHEN gain <> 'binary'
-- depth:    CASE WHEN ties <> 'expected' THEN k END
-- grain:    system, query_id
-- range:    [0, inf), higher is better
-- formula:  sum over ranks i <= k of gain(rel_i) * discount(i); discount: 1 / log2(i + 1), 1 / max(1, log2 i), or 1 / i
-- source:   Järvelin and Kekäläinen, TOIS 2002, doi:10.1145/582415.582418
-- oracle:   sklearn dcg_score
-- example:  dcg(k := 2) = 1.9464
SELECT
    system,
    query_id,
    coalesce(sum(gain * discount) FILTER (WHERE position <= coalesce($k, position)), 0) AS value
FROM gains
GROUP BY system, query_id;
