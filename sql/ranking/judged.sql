-- name:     judged
-- title:    Share of returned items that are judged
-- group:    Counts
-- meaning:  Judged is the share of the first k items that have a judgment in the truth, relevant or not.
-- use:      to check whether the truth covers a system before you trust its other metrics
-- beware:   a low value can make a new system look worse than it is, because other metrics count unjudged items as
--           nonrelevant
-- reading:  1: every one of the first k items is judged
--           0.5: half of the first k items are judged
--           0: none of the first k items is judged
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- switches: rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           rel: not used: every judged item counts, whatever its grade
--           no_relevant=keep: a query without relevant items keeps its value
-- idle:     ties WHEN k IS NULL OR labels = 'returned'; scores WHEN k IS NULL OR labels = 'returned'
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  judged items at ranks <= k / min(k, n)
-- tex:      \mathrm{Judged}_k = \frac{j}{\min(k, n)}
-- symbols:  j: the number of judged items at ranks 1 to k
--           k: the cut-off, the number of top ranks that count
--           n: the number of items that the query returns
-- source:   MacAvaney, Macdonald and Ounis, ECIR 2022, doi:10.1007/978-3-030-99739-7_38
-- oracle:   ir_measures Judged@{k}
-- example:  judged(k := 2) = 0.75
-- worked:   q1: (1 + 1) / 2 = 1
--           q2: (0 + 1) / 2 = 0.5
-- related:  bpref, infap, n_returned
-- note:     a query without relevant items keeps its value
SELECT
    system,
    query_id,
    CAST(count(relevance) FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE)
        / nullif(least($k, max(n_returned)), 0) AS value
FROM returned
GROUP BY system, query_id;
