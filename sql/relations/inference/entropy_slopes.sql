-- name:     entropy_slopes
-- title:    Change of the entropy with each list that has an item
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), items (item_id)
-- params:   weights VARCHAR DEFAULT 'items' CHECK (weights IN ('items', 'lists'))
-- values:   weights: as in relations/ranking/item_lists
-- grain:    system, segment, item_id
-- note:     the number of recommended items of scale=items is taken as given
WITH summed AS (
    SELECT
        system,
        segment,
        sum(n_lists) AS n_places,
        sum(weight) AS total,
        sum(weight * ln(n_lists)) / sum(weight) AS mean_logarithm
    FROM entropy_items
    GROUP BY system, segment
)
SELECT
    entropy_items.system,
    entropy_items.segment,
    entropy_items.item_id,
    (CASE $weights WHEN 'lists' THEN 0e0 ELSE summed.mean_logarithm - ln(entropy_items.n_lists) END / summed.total
        + 1 / summed.n_places - entropy_items.weight / entropy_items.n_lists / summed.total)
        / entropy_items.divisor AS slope,
    CASE $weights WHEN 'lists' THEN summed.mean_logarithm - ln(entropy_items.n_lists) ELSE 0e0 END
        / summed.total / entropy_items.divisor AS mean_slope
FROM entropy_items
JOIN summed ON summed.system = entropy_items.system AND summed.segment = entropy_items.segment;
