-- name:     set_average_precision
-- alias:    set_ap
-- title:    Precision times recall, of a list without an order
-- group:    Accuracy
-- meaning:  This metric is the product of the precision and the recall of the first k items, by default of all. The
--           order of these items does not count.
-- use:      to score a list without an order, or to reproduce the set_map of trec_eval
-- beware:   it is not average precision: a better order of the same items leaves it unchanged
-- reading:  1: the first k items are all relevant, and no relevant item is missing
--           0.25: for example, precision and recall are both 0.5
--           0: no relevant item is among the first k
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- switches: ties VARCHAR DEFAULT 'item_asc' CHECK (ties IN ('item_asc', 'item_desc', 'item_asc_text', 'item_desc_text',
--               'pessimistic', 'optimistic', 'input'))
-- values:   k: as in recall
-- idle:     ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  P * R = h^2 / (k * m), without a cut-off h^2 / (n * m); 0 without a hit
-- tex:      \mathrm{SetAP} = P \cdot R = \frac{h^2}{k \cdot m}
-- symbols:  P: the precision at the cut-off k
--           R: the recall at the cut-off k
--           h: the number of relevant items at ranks 1 to k
--           k: the cut-off; without one, the number of returned items
--           m: the number of relevant items in the truth
-- source:   trec_eval set_map
-- oracle:   ir_measures SetAP
-- example:  set_average_precision(k := 2) = 0.25
-- worked:   q1: 1/2 * 1/2 = 0.25
--           q2: 1/2 * 1/2 = 0.25
-- related:  f_beta, precision, recall, average_precision
SELECT
    system,
    query_id,
    coalesce(
        CAST(count(*) FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE) / nullif(coalesce($k, max(n_returned)), 0), 0
    ) * count(*) FILTER (WHERE rank <= coalesce($k, rank)) / nullif(max(m), 0) AS value
FROM relevant
GROUP BY system, query_id;
