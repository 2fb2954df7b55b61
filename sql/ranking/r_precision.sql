-- name:     r_precision
-- alias:    rprec
-- title:    Precision at rank m, the number of relevant items
-- group:    Accuracy
-- meaning:  R-precision is the precision at a cut-off that fits each query: its number of relevant items, m.
-- use:      when the number of relevant items differs between queries and one fixed cut-off is unfair
-- beware:   for a query with one relevant item, only rank 1 counts; the order inside the first m does not matter
-- reading:  1: the first m items are the m relevant items
--           0.5: half of the relevant items are among the first m
--           0: no relevant item is among the first m
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- switches: ties VARCHAR DEFAULT 'item_asc' CHECK (ties IN ('item_asc', 'item_desc', 'item_asc_text', 'item_desc_text',
--               'pessimistic', 'optimistic', 'input', 'expected'))
-- values:   ties=expected: as in dcg
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  hits in the top m / m
-- tex:      \mathrm{RPrec} = \frac{1}{m} \sum_{i=1}^{m} \mathit{hit}_i
-- symbols:  m: the number of relevant items in the truth
--           \mathit{hit}_i: 1 if the item at rank i is relevant, 0 if it is not
-- source:   Buckley and Voorhees, TREC: Experiment and Evaluation, 2005
-- oracle:   ir_measures Rprec
-- example:  r_precision() = 0.5
-- worked:   q1: (1 + 0) / 2 = 0.5
--           q2: (0 + 1) / 2 = 0.5
-- related:  precision, recall, average_precision, iprec
SELECT
    system,
    query_id,
    CASE $ties
        WHEN 'expected' THEN coalesce(sum(chance) FILTER (WHERE tie_rank <= m), 0)
        ELSE CAST(count(*) FILTER (WHERE rank <= m) AS DOUBLE)
    END / nullif(max(m), 0) AS value
FROM relevant
GROUP BY system, query_id;
