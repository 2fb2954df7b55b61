-- name:     propensity_ndcg
-- title:    Propensity-scored NDCG
-- group:    Popularity and novelty
-- meaning:  NDCG in which the gain of a relevant item is larger the less popular the item is. Grades do not count.
-- use:      when the order matters and the truth comes from logs that favor popular items
-- beware:   the ideal order has the rarest relevant items first, so a ranking with popular hits on top does not reach 1
-- reading:  1: the relevant items are at the top, the rarest first
--           0: no relevant item is among the first k
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), history (query_id, item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           propensity VARCHAR DEFAULT 'power' CHECK (propensity IN ('power', 'jain')),
--           exponent DOUBLE DEFAULT 2 CHECK (exponent >= 0 AND exponent <= 10)
-- values:   k: as in recall
-- idle:     exponent WHEN propensity <> 'power'
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  DCG@k / IDCG@k, DCG@k = sum over ranks i <= k of rel_i / p_i / log2(i + 1)
-- tex:      \frac{\sum_{i \in L \cap R} 1 / (p_i \log_2(\mathit{rank}_i + 1))}
--           {\sum_{i \in R, \, \mathit{ideal}_i \le k} 1 / (p_i \log_2(\mathit{ideal}_i + 1))}
-- symbols:  L: the first k items
--           R: the relevant items of the truth
--           \mathit{rank}_i: the rank of item i
--           \mathit{ideal}_i: the rank of item i in the order of the weights, largest first
--           1 / p_i: the weight of item i; p_i is the chance that users see it, which grows with its popularity
--           k: the cut-off; by default every rank counts
-- source:   Jain, Prabhu and Varma, KDD 2016, doi:10.1145/2939672.2939756
-- oracle:   reference
-- example:  propensity_ndcg(k := 2) = 0.337963
-- worked:   q1: power(3 / 2, 1.5) / (power(3 / 1, 1.5) + power(3 / 2, 1.5) / log2(3)) = 0.2891
--           q2: power(3 / 1, 1.5) / log2(3) / (power(3 / 1, 1.5) + power(3 / 1, 1.5) / log2(3)) = 0.3869
-- related:  propensity_precision, propensity_recall, ndcg
SELECT
    system,
    query_id,
    coalesce(sum(weight / log(2, rank + 1)) FILTER (WHERE rank <= coalesce($k, rank)), 0)
        / nullif(sum(weight / log(2, ideal_rank + 1)) FILTER (WHERE ideal_rank <= coalesce($k, ideal_rank)), 0)
        AS value
FROM weighed_items
GROUP BY system, query_id;
