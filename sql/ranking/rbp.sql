-- name:     rbp
-- title:    Rank-biased precision
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   p DOUBLE DEFAULT 0.8 CHECK (p > 0 AND p < 1),
--           k INTEGER DEFAULT NULL CHECK (k > 0)
-- values:   p: the probability that a user goes on to the next rank
--           k: as in recall
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  (1 - p) * sum over relevant items at ranks i <= k of p^(i - 1)
-- source:   Moffat and Zobel, TOIS 2008, doi:10.1145/1416950.1416952
-- oracle:   ir_measures RBP(p={p})@{k}
-- example:  rbp() = 0.244
SELECT
    system,
    query_id,
    (1 - $p) * coalesce(sum(power($p, rank - 1)) FILTER (WHERE rank <= coalesce($k, rank)), 0) AS value
FROM relevant
GROUP BY system, query_id;
