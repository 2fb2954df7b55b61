-- name:     hit_rate
-- alias:    hr, success
-- title:    Share of queries with a relevant item
-- group:    Accuracy
-- meaning:  Hit rate is the share of queries whose first k items contain a relevant item.
-- use:      when one relevant item is enough, for example one hidden purchase per user
-- beware:   one hit counts as much as ten; the value grows with k and with the number of relevant items per query
-- reading:  1: every query has a relevant item among its first k
--           0.5: half of the queries have one
--           0: no query has one
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
-- contribution: CASE WHEN hit = 1 AND $ties <> 'expected' AND rank <= coalesce($k, rank) THEN 1e0 END
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  1 if h >= 1, else 0
-- tex:      \mathrm{HR}_k = \begin{cases} 1 & \text{if } h \ge 1 \\ 0 & \text{otherwise} \end{cases}
-- symbols:  h: the number of relevant items at ranks 1 to k
--           k: the cut-off, the number of top ranks that count
-- source:   Deshpande and Karypis, TOIS 2004, doi:10.1145/963770.963776
-- oracle:   ir_measures Success@{k}
-- example:  hit_rate(k := 2) = 1
-- worked:   q1: least(1 + 0, 1) = 1
--           q2: least(0 + 1, 1) = 1
-- related:  recall, reciprocal_rank, hits, first_rank
SELECT
    system,
    query_id,
    CASE
        WHEN $ties = 'expected' THEN 1 - coalesce(min(none_yet) FILTER (WHERE tie_rank <= coalesce($k, tie_rank)), 1)
        WHEN count(*) FILTER (WHERE rank <= coalesce($k, rank)) > 0 THEN 1e0
        ELSE 0e0
    END AS value
FROM relevant
GROUP BY system, query_id;
