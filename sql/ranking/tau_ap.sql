-- name:     tau_ap
-- title:    AP correlation with a reference run
-- group:    Against another run
-- meaning:  AP correlation is Kendall's tau with more weight on the top. For each common item it looks at the items
--           above it, and asks how many of them the other run has above it, too.
-- use:      to compare orders where exchanges at the top matter more than those at the end
-- beware:   it is not symmetric: the list and the reference run have different roles
-- reading:  1: the common items are in the same order
--           -1: one order is the reverse of the other
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           reference (query_id, item_id, score)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- depth:    k
-- grain:    system, query_id
-- range:    [-1, 1], neither is better
-- formula:  2 / (m - 1) * sum over common items i = 2 to m of C_i / (i - 1) - 1
-- tex:      \tau_{AP} = \frac{2}{m - 1} \sum_{i=2}^{m} \frac{C_i}{i - 1} - 1
-- symbols:  m: the number of items in the first k of both runs, in the order of the list
--           C_i: the number of items above the i-th that are above it in the reference run, too
-- source:   Yilmaz, Aslam and Robertson, SIGIR 2008, doi:10.1145/1390334.1390435
-- oracle:   reference
-- example:  tau_ap(k := 2) = 0
-- worked:   q1: 2 / (2 - 1) * (0 / 1) - 1 = -1
--           q2: 2 / (2 - 1) * (1 / 1) - 1 = 1
-- related:  kendall_tau, rbo, overlap
-- note:     with fewer than two common items there is no value
SELECT
    system,
    query_id,
    2 * sum(CASE WHEN n_above > 0 THEN CAST(n_agreeing AS DOUBLE) / n_above END) / nullif(count(*) - 1, 0) - 1
        AS value
FROM common_items
GROUP BY system, query_id;
