-- name:     dcg
-- title:    Discounted cumulative gain
-- group:    Accuracy
-- meaning:  DCG adds up the grades of the returned items. An item counts less the lower it is in the ranking.
-- use:      when relevance has grades and a query with more relevant items has to count more
-- beware:   it has no upper limit, so values of different queries are not comparable; tools differ in gain and
--           discount
-- reading:  0: no relevant item is among the first k
--           1: for example, the only relevant item among the first k has grade 1 and rank 1
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
-- tex:      \mathrm{DCG}_k = \sum_{i=1}^{k} \frac{\mathrm{gain}(\mathit{rel}_i)}{\log_2(i + 1)}
-- symbols:  k: the cut-off, the number of top ranks that count
--           \mathit{rel}_i: the grade of the item at rank i, 0 if it is not judged
--           \mathrm{gain}: the worth of an item, by default its grade
--           \log_2(i + 1): the default discount; discount=log2_clip and discount=reciprocal replace it
-- source:   Järvelin and Kekäläinen, TOIS 2002, doi:10.1145/582415.582418
-- oracle:   sklearn dcg_score
-- example:  dcg(k := 2) = 1.9464
-- worked:   q1: 2 / log2(2) + 0 / log2(3) = 2
--           q2: 0 / log2(2) + 3 / log2(3) = 1.8928
-- related:  ndcg, idcg, cg
SELECT
    system,
    query_id,
    coalesce(sum(gain * discount) FILTER (WHERE position <= coalesce($k, position)), 0) AS value
FROM gains
GROUP BY system, query_id;
