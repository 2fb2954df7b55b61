-- name:     propensities
-- title:    Relevant items of the truth, weighed by the inverse of their propensity
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id, relevance), history (query_id, item_id)
-- params:   propensity VARCHAR DEFAULT 'power' CHECK (propensity IN ('power', 'jain')),
--           exponent DOUBLE DEFAULT 2 CHECK (exponent >= 0 AND exponent <= 10)
-- values:   propensity=power: a power of the number of interactions
--           propensity=jain: a logistic function of the logarithm of the number of users
--           exponent: the weight falls with the power (exponent + 1) / 2: the larger, the more rare items count
-- facts:    weighed WHEN propensity = 'power'
-- grain:    query_id, item_id
-- note:     only ratios of the weights matter: propensity=power gives weight 1 to the most popular item; an item
--           without history counts as one interaction of one user; propensity=jain has A = 0.55 and B = 1.5, and no
--           weight below 1 in a history of fewer than three users
SELECT
    graded_items.query_id,
    graded_items.item_id,
    power(popularity_totals.largest / coalesce(item_history.n_interactions, 1), ($exponent + 1) / 2) AS weight
FROM graded_items
CROSS JOIN popularity_totals
LEFT JOIN item_history ON item_history.item_id = graded_items.item_id
WHERE graded_items.relevant = 1 AND $propensity = 'power'
UNION ALL
SELECT
    graded_items.query_id,
    graded_items.item_id,
    1 + greatest(ln(history_users.n_users) - 1, 0)
        * power(2.5e0 / (coalesce(item_users.n_users, 1) + 1.5e0), 0.55e0) AS weight
FROM graded_items
CROSS JOIN history_users
LEFT JOIN item_users ON item_users.item_id = graded_items.item_id
WHERE graded_items.relevant = 1 AND $propensity = 'jain';
