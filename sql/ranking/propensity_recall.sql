-- name:     propensity_recall
-- title:    Propensity-scored recall
-- group:    Popularity and novelty
-- meaning:  Recall in which a relevant item counts more the less popular it is.
-- use:      to estimate the recall that users would see if logs did not favor popular items
-- beware:   a few rare items can decide the value, so its interval is wide; read it next to recall
-- reading:  1: every relevant item is among the first k
--           0: no relevant item is among the first k
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), history (query_id, item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           propensity VARCHAR DEFAULT 'power' CHECK (propensity IN ('power', 'jain')),
--           exponent DOUBLE DEFAULT 2 CHECK (exponent >= 0 AND exponent <= 10)
-- values:   k: as in recall
-- idle:     exponent WHEN propensity <> 'power'; ties WHEN k IS NULL; scores WHEN k IS NULL; unjudged WHEN k IS NULL
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  the weights of the relevant items at ranks <= k, divided by the weights of all relevant items
-- tex:      \frac{\sum_{i \in L \cap R} 1 / p_i}{\sum_{i \in R} 1 / p_i}
-- symbols:  L: the first k items
--           R: the relevant items of the truth
--           1 / p_i: the weight of item i; p_i is the chance that users see it, which grows with its popularity
--           k: the cut-off; by default every rank counts
-- source:   Yang, Cui, Xuan, Wang, Belongie and Estrin, RecSys 2018, doi:10.1145/3240323.3240355
-- oracle:   reference
-- example:  propensity_recall(k := 2) = 0.380604
-- worked:   q1: power(3 / 2, 1.5) / (power(3 / 2, 1.5) + power(3 / 1, 1.5)) = 0.2612
--           q2: power(3 / 1, 1.5) / (power(3 / 1, 1.5) + power(3 / 1, 1.5)) = 0.5
-- related:  propensity_precision, propensity_ndcg, recall
SELECT
    system,
    query_id,
    coalesce(sum(weight) FILTER (WHERE rank <= coalesce($k, rank)), 0)
        / nullif(sum(weight) FILTER (WHERE ideal_rank IS NOT NULL), 0) AS value
FROM weighed_items
GROUP BY system, query_id;
