-- name:     bpref
-- title:    Binary preference
-- group:    Accuracy
-- meaning:  Bpref reports how often the ranking places relevant items before items that are judged nonrelevant.
-- use:      when many returned items are unjudged, and the truth has judged nonrelevant items too
-- beware:   if the truth has no nonrelevant items (only clicks, for example), bpref is equal to recall; the order
--           does not count then
-- reading:  1: every relevant item is returned, and no judged nonrelevant item is before one of them
--           0: no relevant item is returned, or at least min(m, N) judged nonrelevant items are before each one
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- idle:     unjudged WHEN TRUE
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  1/m * sum over hits of 1 - min(judged nonrelevant items above, m) / min(m, all judged nonrelevant items)
-- tex:      \mathrm{bpref} = \frac{1}{m} \sum_{r} \left( 1 - \frac{\min(N_r, m)}{\min(m, N)} \right)
-- symbols:  r: a relevant item that is returned; an item that is not returned adds 0
--           N_r: the number of judged nonrelevant items before r
--           N: the number of judged nonrelevant items in the truth; if it is 0, each r adds 1
--           m: the number of relevant items in the truth
-- source:   Buckley and Voorhees, SIGIR 2004, doi:10.1145/1008992.1009000; trec_eval m_bpref.c
-- oracle:   ir_measures Bpref
-- example:  bpref() = 0.5
-- worked:   q1: ((1 - 0 / 1) + (1 - 1 / 1)) / 2 = 0.5
--           q2: (1 - 0 / 1) / 2 = 0.5
-- related:  average_precision, infap, judged, recall
-- note:     unjudged items are skipped
WITH preferences AS (
    SELECT
        queries.system,
        queries.query_id,
        item_id AS item,
        rank AS place,
        is_relevant,
        m,
        n_nonrelevant,
        sum(CASE WHEN relevance IS NOT NULL AND NOT is_relevant THEN 1 ELSE 0 END) OVER (
            PARTITION BY queries.system, queries.query_id
            ORDER BY rank ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS nonrelevant_above
    FROM queries
    LEFT JOIN returned ON returned.system = queries.system AND returned.query_id = queries.query_id
)
SELECT
    system,
    query_id,
    coalesce(
        sum(1 - CAST(least(nonrelevant_above, m) AS DOUBLE) / least(nullif(n_nonrelevant, 0), nullif(m, 0)))
            FILTER (WHERE is_relevant) / nullif(max(m), 0), 0
    ) AS value
FROM preferences
GROUP BY system, query_id;
