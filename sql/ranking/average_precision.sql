-- name:     average_precision
-- alias:    ap, map, gmap (agg = gmean)
-- macro:    map_at for map
-- title:    Average precision
-- group:    Accuracy
-- meaning:  Average precision reports how early a ranking shows the relevant items. Every relevant item counts, and
--           one that is missing adds 0.
-- use:      when each query has several relevant items, all of them matter, and relevance is yes or no
-- beware:   at a cut-off, tools divide by different numbers, such as all relevant items (the default here), min(k,
--           relevant items) or the hits
-- reading:  1: every relevant item is before every other item, and all are among the first k
--           0.5: for a query with one relevant item: that item is at rank 2
--           0: no relevant item is among the first k
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           norm VARCHAR DEFAULT 'relevant'
--               CHECK (norm IN ('relevant', 'min_k', 'min_returned', 'hits', 'k') AND (norm <> 'k' OR k IS NOT NULL))
-- switches: ties VARCHAR DEFAULT 'item_asc' CHECK (ties IN ('item_asc', 'item_desc', 'item_asc_text', 'item_desc_text',
--               'pessimistic', 'optimistic', 'input', 'expected')
--               AND (ties <> 'expected' OR norm <> 'hits'))
-- values:   k: as in recall
--           norm=relevant: the sum is divided by the number of relevant items
--           norm=min_k: the sum is divided by min(k, relevant items)
--           norm=min_returned: the sum is divided by min(k, relevant items, returned items)
--           norm=hits: the sum is divided by the number of hits in the top k
--           norm=k: the sum is divided by k
--           ties=expected: as in dcg
-- idle:     norm WHEN norm = 'min_k' AND k IS NULL
-- depth:    CASE WHEN ties <> 'expected' THEN k END
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  sum over hits of precision at the rank of the hit, / m; norm: min(m, k), min(m, k, returned items), hits in
--           the top k, or k
-- tex:      \mathrm{AP}_k = \frac{1}{m} \sum_{i=1}^{k} \mathit{hit}_i \cdot \frac{h_i}{i}
-- symbols:  k: the cut-off, the number of top ranks that count
--           \mathit{hit}_i: 1 if the item at rank i is relevant, 0 if it is not
--           h_i: the number of relevant items at ranks 1 to i
--           m: the number of relevant items in the truth
-- source:   Buckley and Voorhees, SIGIR 2000, doi:10.1145/345508.345543
-- oracle:   ir_measures AP@{k}
-- example:  average_precision(k := 2) = 0.375
-- worked:   q1: (1/1 + 0) / 2 = 0.5
--           q2: (0 + 1/2) / 2 = 0.25
-- related:  ndcg, reciprocal_rank, r_precision, iprec
SELECT
    system,
    query_id,
    coalesce(
        CASE $ties
            WHEN 'expected' THEN sum(chance * mean_hit / tie_rank) FILTER (WHERE tie_rank <= coalesce($k, tie_rank))
            ELSE sum(CAST(hit AS DOUBLE) / rank) FILTER (WHERE rank <= coalesce($k, rank))
        END
            / nullif(
                CASE $norm
                    WHEN 'min_k' THEN least($k, max(m))
                    WHEN 'min_returned' THEN least($k, max(m), max(n_returned))
                    WHEN 'hits' THEN count(*) FILTER (WHERE rank <= coalesce($k, rank))
                    WHEN 'k' THEN $k
                    ELSE max(m)
                END, 0
            ), 0
    ) AS value
FROM relevant
GROUP BY system, query_id;
