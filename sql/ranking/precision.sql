-- name:     precision
-- alias:    p
-- macro:    precision_at for precision, precision_at for p
-- title:    Precision
-- group:    Accuracy
-- meaning:  Precision is the share of the first k items that are relevant.
-- use:      when users see a fixed number of items and every wrong one is a cost
-- beware:   a query with fewer than k relevant items cannot reach 1; by default, a list shorter than k counts as if
--           it had k items
-- reading:  1: every one of the first k items is relevant
--           0.5: half of the first k items are relevant
--           0: no relevant item is among the first k
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           norm VARCHAR DEFAULT 'k' CHECK (norm IN ('k', 'returned'))
-- switches: ties VARCHAR DEFAULT 'item_asc' CHECK (ties IN ('item_asc', 'item_desc', 'item_asc_text', 'item_desc_text',
--               'pessimistic', 'optimistic', 'input', 'expected'))
-- values:   k: as in recall
--           norm=k: hits are divided by k, even if fewer items were returned
--           norm=returned: hits are divided by min(k, returned items)
--           ties=expected: as in dcg
-- idle:     norm WHEN k IS NULL; ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    CASE WHEN ties <> 'expected' THEN k END
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  h / k; norm=returned: h / min(k, n); without a cut-off h / n
-- tex:      P_k = \frac{h}{k} \qquad P = \frac{h}{n}
-- symbols:  P_k: the precision at the cut-off k
--           P: the precision without a cut-off
--           h: the number of relevant items at ranks 1 to k, or without a cut-off at all ranks
--           k: the cut-off, the number of top ranks that count
--           n: the number of items that the query returns
-- source:   Cleverdon, Aslib Proceedings 1967
-- oracle:   ir_measures P@{k}
-- example:  precision(k := 2) = 0.5
-- worked:   q1: (1 + 0) / 2 = 0.5
--           q2: (0 + 1) / 2 = 0.5
-- related:  recall, r_precision, f_beta, rbp
SELECT
    system,
    query_id,
    CASE $ties
        WHEN 'expected' THEN coalesce(sum(chance) FILTER (WHERE tie_rank <= coalesce($k, tie_rank)), 0)
        ELSE CAST(count(*) FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE)
    END
        / nullif(
            CASE WHEN $k IS NULL OR $norm = 'returned' THEN least($k, max(n_returned)) ELSE $k END, 0
        ) AS value
FROM relevant
GROUP BY system, query_id;
