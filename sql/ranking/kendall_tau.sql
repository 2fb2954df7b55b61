-- name:     kendall_tau
-- title:    Kendall's tau with a reference run
-- group:    Against another run
-- meaning:  Kendall's tau compares the order of the items that the first k of two runs share. It is the share of pairs
--           in the same order, minus the share of pairs in the opposite order.
-- use:      to see whether a new version orders the same items in another way
-- beware:   items of one run alone do not count; read it next to overlap
-- reading:  1: the common items are in the same order
--           0: half of the pairs are in the opposite order
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
-- formula:  (concordant pairs - discordant pairs) / pairs, of the items in the first k of both runs
-- tex:      \tau = \frac{C - D}{m (m - 1) / 2}
-- symbols:  C: the number of pairs that are in the same order in both lists
--           D: the number of pairs that are in the opposite order
--           m: the number of items that both lists have
-- source:   Kendall, Biometrika 1938, doi:10.1093/biomet/30.1-2.81
-- oracle:   reference
-- example:  kendall_tau(k := 2) = 0
-- worked:   q1: (0 - 1) / 1 = -1
--           q2: (1 - 0) / 1 = 1
-- related:  tau_ap, rbo, overlap
-- note:     tau-a; with fewer than two common items there is no value
SELECT
    system,
    query_id,
    2 * CAST(sum(n_agreeing) AS DOUBLE) / nullif(sum(n_above), 0) - 1 AS value
FROM common_items
GROUP BY system, query_id;
