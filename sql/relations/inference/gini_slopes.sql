-- name:     gini_slopes
-- title:    Change of the Gini index with each list that has an item
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           members (system, query_id, segment), items (item_id)
-- params:   denominator VARCHAR DEFAULT 'n' CHECK (denominator IN ('n', 'n_minus_1'))
-- values:   denominator: as in ranking/gini
-- grain:    system, segment, item_id
-- note:     items in equally many lists have the mean of their places, so that their ids decide nothing
WITH shared AS (
    SELECT
        system,
        segment,
        item_id,
        n_lists,
        2e0 * (n_items - n_listed) + (
            min(low_place) OVER (PARTITION BY system, segment, n_lists)
            + max(low_place) OVER (PARTITION BY system, segment, n_lists)
        ) - n_items - 1 AS weight,
        CASE $denominator WHEN 'n' THEN n_items ELSE n_items - 1 END AS n
    FROM exposures
),
summed AS (
    SELECT system, segment, sum(weight * n_lists) AS weighted, sum(n_lists) AS n_places
    FROM shared
    GROUP BY system, segment
)
SELECT
    shared.system,
    shared.segment,
    shared.item_id,
    (shared.weight - CAST(summed.weighted AS DOUBLE) / summed.n_places)
        / nullif(CAST(shared.n AS DOUBLE) * summed.n_places, 0) AS slope
FROM shared
JOIN summed ON summed.system = shared.system AND summed.segment = shared.segment;
