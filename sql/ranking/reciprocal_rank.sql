-- name:     reciprocal_rank
-- alias:    rr, mrr
-- title:    Reciprocal rank of the first relevant item
-- group:    Accuracy
-- meaning:  Reciprocal rank reports how near to the top the first relevant item is. Later relevant items do not
--           count.
-- use:      when users want one right answer, as in question answering or known-item search
-- beware:   the step from rank 1 to rank 2 costs as much as the step from rank 2 to none, so rank 1 decides the mean
-- reading:  1: the first item is relevant
--           0.5: the first relevant item is at rank 2
--           0.1: the first relevant item is at rank 10
--           0: no relevant item is among the first k
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- switches: ties VARCHAR DEFAULT 'item_asc' CHECK (ties IN ('item_asc', 'item_desc', 'item_asc_text', 'item_desc_text',
--               'pessimistic', 'optimistic', 'input', 'expected'))
-- values:   k: as in recall
--           ties=expected: as in dcg
-- depth:    CASE WHEN ties <> 'expected' THEN k END
-- contribution: CASE WHEN hit = 1 AND $ties <> 'expected' AND rank <= coalesce($k, rank) THEN 1e0 / rank END
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  1 / rank of the first relevant item; 0 if it is not returned or its rank is above k
-- tex:      \mathrm{RR}_k = \begin{cases} 1 / f & \text{if } f \le k \\ 0 & \text{otherwise} \end{cases}
-- symbols:  f: the rank of the first relevant item; infinite if none is returned
--           k: the cut-off; by default every rank counts
-- source:   Voorhees, TREC-8 1999
-- oracle:   ir_measures RR@{k}
-- example:  reciprocal_rank() = 0.75
-- worked:   q1: 1 / 1 = 1
--           q2: 1 / 2 = 0.5
-- related:  first_rank, hit_rate, err, average_precision
SELECT
    system,
    query_id,
    CASE $ties
        WHEN 'expected' THEN coalesce(sum(met / tie_rank) FILTER (WHERE tie_rank <= coalesce($k, tie_rank)), 0)
        ELSE coalesce(1e0 / min(rank) FILTER (WHERE rank <= coalesce($k, rank)), 0)
    END AS value
FROM relevant
GROUP BY system, query_id;
