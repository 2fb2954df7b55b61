-- name:     hits
-- title:    Number of relevant items returned
-- group:    Accuracy
-- meaning:  Hits is the number of relevant items among the first k items that the system returns.
-- use:      to see the counts behind precision and recall, or their total with agg=sum
-- beware:   it grows with k and with the number of relevant items, so queries with a long truth dominate the mean
-- reading:  0: no relevant item is among the first k
--           3: three of the first k items are relevant
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- switches: ties VARCHAR DEFAULT 'item_asc' CHECK (ties IN ('item_asc', 'item_desc', 'item_asc_text', 'item_desc_text',
--               'pessimistic', 'optimistic', 'input', 'expected'))
-- values:   k: as in recall
--           ties=expected: as in dcg
-- idle:     ties WHEN k IS NULL; scores WHEN k IS NULL; unjudged WHEN k IS NULL;
--           catalog_size WHEN k IS NULL
-- depth:    CASE WHEN ties <> 'expected' THEN k END
-- grain:    system, query_id
-- range:    [0, inf), higher is better
-- formula:  h, the number of relevant items at ranks <= k
-- tex:      h = \sum_{i=1}^{k} \mathit{hit}_i
-- symbols:  h: the number of hits
--           k: the cut-off, the number of top ranks that count
--           \mathit{hit}_i: 1 if the item at rank i is relevant, 0 if it is not
-- source:   trec_eval num_rel_ret
-- oracle:   ir_measures NumRet(rel=1)
-- example:  hits(k := 2) = 1
-- worked:   q1: 1 + 0 = 1
--           q2: 0 + 1 = 1
-- related:  precision, recall, n_relevant, n_returned
SELECT
    system,
    query_id,
    CASE $ties
        WHEN 'expected' THEN coalesce(sum(chance) FILTER (WHERE tie_rank <= coalesce($k, tie_rank)), 0)
        ELSE CAST(count(*) FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE)
    END AS value
FROM relevant
GROUP BY system, query_id;
