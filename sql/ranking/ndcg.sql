-- name:     ndcg
-- title:    Normalized discounted cumulative gain
-- group:    Accuracy
-- meaning:  NDCG compares a ranking with the best possible ranking of the same query. An item counts more if it is
--           more relevant, and if it is nearer to the top.
-- use:      when relevance has grades (bought, clicked, ignored) and the order of the first items matters
-- beware:   two tools rarely mean the same NDCG; compare their conventions before you compare their numbers
-- reading:  1: the order could not be better
--           0: no relevant item is among the first k
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
-- tex:      \mathrm{NDCG}_k = \frac{\mathrm{DCG}_k}{\mathrm{IDCG}_k} \qquad
--           \mathrm{DCG}_k = \sum_{i=1}^{k} \frac{\mathrm{gain}(\mathit{rel}_i)}{\log_2(i + 1)}
-- symbols:  k: the cut-off, the number of top ranks that count
--           \mathit{rel}_i: the grade of the item at rank i, 0 if it is not judged
--           \mathrm{gain}: the worth of an item, by default its grade
--           \mathrm{IDCG}_k: the DCG of the first k items in the best order of all judged items
-- source:   Järvelin and Kekäläinen, TOIS 2002, doi:10.1145/582415.582418
-- oracle:   ir_measures nDCG@{k}
-- example:  ndcg(k := 2) = 0.640742
-- worked:   q1: (2 / log2(2) + 0 / log2(3)) / (2 / log2(2) + 1 / log2(3)) = 0.7602
--           q2: (0 / log2(2) + 3 / log2(3)) / (3 / log2(2) + 1 / log2(3)) = 0.5213
-- related:  dcg, err, rbp, average_precision
SELECT
    system,
    query_id,
    coalesce(dcg.value, 0) / nullif(idcg.value, 0) AS value
FROM idcg
LEFT JOIN dcg USING (system, query_id);
