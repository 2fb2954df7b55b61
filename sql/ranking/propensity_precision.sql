-- name:     propensity_precision
-- title:    Propensity-scored precision
-- group:    Popularity and novelty
-- meaning:  Precision in which a relevant item counts more the less popular it is. The best possible ranking has 1.
-- use:      when the truth comes from logs, which show popular items more often than others
-- beware:   a few rare items can decide the value; read it next to precision
-- reading:  1: the first k items are the relevant items with the largest weights
--           0: no relevant item is among the first k
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), history (query_id, item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           propensity VARCHAR DEFAULT 'power' CHECK (propensity IN ('power', 'jain')),
--           exponent DOUBLE DEFAULT 2 CHECK (exponent >= 0 AND exponent <= 10)
-- values:   k: as in recall
-- idle:     exponent WHEN propensity <> 'power'; ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  the weights of the relevant items at ranks <= k, divided by the k largest weights of relevant items
-- tex:      \mathrm{PSP}_k = \frac{\sum_{i \in L \cap R} 1 / p_i}
--           {\max_{S \subseteq R, |S| \le k} \sum_{i \in S} 1 / p_i}
-- symbols:  L: the first k items
--           R: the relevant items of the truth
--           S: any k relevant items
--           1 / p_i: the weight of item i; p_i is the chance that users see it, which grows with its popularity
--           k: the cut-off; by default every rank counts
-- source:   Jain, Prabhu and Varma, KDD 2016, doi:10.1145/2939672.2939756
-- oracle:   reference
-- example:  propensity_precision(k := 1) = 0.176777
-- worked:   q1: power(3 / 2, 1.5) / power(3 / 1, 1.5) = 0.3536
--           q2: 0 / power(3 / 1, 1.5) = 0
-- related:  propensity_recall, propensity_ndcg, precision
SELECT
    system,
    query_id,
    coalesce(sum(weight) FILTER (WHERE rank <= coalesce($k, rank)), 0)
        / nullif(sum(weight) FILTER (WHERE ideal_rank <= coalesce($k, ideal_rank)), 0) AS value
FROM weighed_items
GROUP BY system, query_id;
