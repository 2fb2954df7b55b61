-- name:     rbp
-- title:    Rank-biased precision
-- group:    Accuracy
-- meaning:  RBP models a user who goes on to the next item with probability p. It is the expected share of relevant
--           items among the items that this user looks at.
-- use:      when you can say how patient users are, and the number of relevant items is unknown
-- beware:   a perfect ranking does not reach 1: with one relevant item and p = 0.8, the highest value is 0.2
-- reading:  1: out of reach; m relevant items at the top give 1 - p^m
--           0.2: with p = 0.8, only the first item is relevant
--           0: no relevant item is among the first k
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
-- tex:      \mathrm{RBP} = (1 - p) \sum_{i=1}^{k} \mathit{hit}_i \cdot p^{i - 1}
-- symbols:  p: the probability that the user goes on to the next rank
--           k: the cut-off; by default every rank counts
--           \mathit{hit}_i: 1 if the item at rank i is relevant, 0 if it is not
-- source:   Moffat and Zobel, TOIS 2008, doi:10.1145/1416950.1416952
-- oracle:   ir_measures RBP(p={p})@{k}
-- example:  rbp() = 0.244
-- worked:   q1: (1 - 0.8) * (0.8^0 + 0.8^2) = 0.328
--           q2: (1 - 0.8) * 0.8^1 = 0.16
-- related:  err, dcg, precision
SELECT
    system,
    query_id,
    (1 - $p) * coalesce(sum(power($p, rank - 1)) FILTER (WHERE rank <= coalesce($k, rank)), 0) AS value
FROM relevant
GROUP BY system, query_id;
