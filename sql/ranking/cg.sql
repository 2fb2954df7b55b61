-- name:     cg
-- title:    Cumulative gain
-- group:    Accuracy
-- meaning:  Cumulative gain adds up the grades of the first k items. Their order inside the first k does not matter.
-- use:      to report the total gain of a short list whose order does not matter to users
-- beware:   it has no upper limit, so queries with many relevant items or high grades dominate the mean
-- reading:  0: no relevant item is among the first k
--           3: for example, one item of grade 3 or three items of grade 1 are among the first k
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           gain VARCHAR DEFAULT 'linear' CHECK (gain IN ('linear', 'exp2', 'binary'))
-- switches: ties VARCHAR DEFAULT 'item_asc' CHECK (ties IN ('item_asc', 'item_desc', 'item_asc_text', 'item_desc_text',
--               'pessimistic', 'optimistic', 'input', 'expected'))
-- values:   k: as in recall
--           ties=expected: as in dcg
-- idle:     rel WHEN gain <> 'binary'; ties WHEN k IS NULL; scores WHEN k IS NULL; unjudged WHEN k IS NULL;
--           catalog_size WHEN k IS NULL
-- depth:    CASE WHEN ties <> 'expected' THEN k END
-- grain:    system, query_id
-- range:    [0, inf), higher is better
-- formula:  sum over ranks i <= k of gain(rel_i); gain: rel, 2^rel - 1, or 1 if relevant
-- tex:      \mathrm{CG}_k = \sum_{i=1}^{k} \mathrm{gain}(\mathit{rel}_i)
-- symbols:  k: the cut-off, the number of top ranks that count
--           \mathit{rel}_i: the grade of the item at rank i, 0 if it is not judged
--           \mathrm{gain}: the worth of an item, by default its grade
-- source:   Järvelin and Kekäläinen, TOIS 2002, doi:10.1145/582415.582418
-- oracle:   reference
-- example:  cg(k := 2) = 2.5
-- worked:   q1: 2 + 0 = 2
--           q2: 0 + 3 = 3
-- related:  dcg, ndcg, hits
SELECT
    system,
    query_id,
    coalesce(sum(gain) FILTER (WHERE position <= coalesce($k, position)), 0) AS value
FROM gains
GROUP BY system, query_id;
