-- name:     recall
-- title:    Recall
-- group:    Accuracy
-- meaning:  Recall is the share of the relevant items that are among the first k items.
-- use:      when a missed item is the worst error, for example for candidates that a second model ranks again
-- beware:   it grows with k, and a query with more than k relevant items cannot reach 1; norm=min_k divides by at
--           most k
-- reading:  1: every relevant item is among the first k
--           0.5: half of the relevant items are among the first k
--           0: no relevant item is among the first k
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           norm VARCHAR DEFAULT 'relevant' CHECK (norm IN ('relevant', 'min_k'))
-- switches: ties VARCHAR DEFAULT 'item_asc' CHECK (ties IN ('item_asc', 'item_desc', 'item_asc_text', 'item_desc_text',
--               'pessimistic', 'optimistic', 'input', 'expected'))
-- values:   k: the number of top ranks that count; all by default
--           norm=relevant: hits are divided by the number of relevant items
--           norm=min_k: hits are divided by min(k, relevant items)
--           ties=expected: as in dcg
-- idle:     norm WHEN k IS NULL; ties WHEN k IS NULL; scores WHEN k IS NULL; unjudged WHEN k IS NULL;
--           catalog_size WHEN k IS NULL
-- depth:    CASE WHEN ties <> 'expected' THEN k END
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  h / m; norm=min_k: h / min(m, k)
-- tex:      R_k = \frac{h}{m}
-- symbols:  k: the cut-off, the number of top ranks that count
--           h: the number of relevant items at ranks 1 to k
--           m: the number of relevant items in the truth
-- source:   Cleverdon, Aslib Proceedings 1967
-- oracle:   ir_measures R@{k}
-- example:  recall(k := 2) = 0.5
-- worked:   q1: (1 + 0) / 2 = 0.5
--           q2: (0 + 1) / 2 = 0.5
-- related:  precision, hit_rate, r_precision, f_beta
SELECT
    system,
    query_id,
    CASE $ties
        WHEN 'expected' THEN coalesce(sum(chance) FILTER (WHERE tie_rank <= coalesce($k, tie_rank)), 0)
        ELSE CAST(count(*) FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE)
    END
        / nullif(CASE $norm WHEN 'min_k' THEN least($k, max(m)) ELSE max(m) END, 0) AS value
FROM relevant
GROUP BY system, query_id;
