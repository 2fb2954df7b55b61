-- name:     entropy_slopes
-- title:    Change of the entropy with each list that has an item
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), items (item_id)
-- params:   scale VARCHAR DEFAULT 'none' CHECK (scale IN ('none', 'items', 'max')),
--           weights VARCHAR DEFAULT 'items' CHECK (weights IN ('items', 'lists'))
-- values:   scale: as in relations/ranking/entropy_items
--           weights: as in relations/ranking/item_lists
-- grain:    system, segment, item_id
-- note:     a slope is the change if one list less has the item, see gini_slopes
WITH counted AS (
    SELECT
        system,
        segment,
        item_id,
        n_lists,
        weight,
        divisor,
        ln(n_lists) AS logarithm,
        ln(greatest(n_lists - 1, 1e0)) AS lower_logarithm,
        $scale = 'items' AND n_lists = 1 AS is_lost
    FROM entropy_items
),
summed AS (
    SELECT
        system,
        segment,
        count(*) AS n_items,
        sum(n_lists) AS n_places,
        sum(weight) AS total,
        sum(weight * logarithm) / sum(weight) AS mean_logarithm
    FROM counted
    GROUP BY system, segment
)
SELECT
    counted.system,
    counted.segment,
    counted.item_id,
    (
        1 / summed.n_places - CASE $weights
            WHEN 'lists' THEN counted.weight * (counted.logarithm - counted.lower_logarithm)
            ELSE counted.n_lists * counted.logarithm - (counted.n_lists - 1) * counted.lower_logarithm
                - summed.mean_logarithm
        END / summed.total
        - CASE
            WHEN counted.is_lost THEN (ln(summed.n_places) - summed.mean_logarithm) / summed.n_items
            ELSE 0e0
        END
    ) * CASE WHEN counted.is_lost THEN summed.n_items / nullif(summed.n_items - 1e0, 0) ELSE 1e0 END
        / counted.divisor AS slope,
    CASE $weights WHEN 'lists' THEN summed.mean_logarithm - counted.lower_logarithm ELSE 0e0 END
        * CASE WHEN counted.is_lost THEN summed.n_items / nullif(summed.n_items - 1e0, 0) ELSE 1e0 END
        / summed.total / counted.divisor AS mean_slope
FROM counted
JOIN summed ON summed.system = counted.system AND summed.segment = counted.segment;
