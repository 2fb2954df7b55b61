-- name:     gini_slopes
-- title:    Change of the Gini index with the exposure of an item
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), items (item_id)
-- params:   denominator VARCHAR DEFAULT 'n' CHECK (denominator IN ('n', 'n_minus_1'))
-- values:   denominator: as in ranking/gini
-- grain:    system, segment, item_id
-- note:     items with equal exposure have the mean of their places, so that their ids decide nothing
WITH shared AS (
    SELECT
        system,
        segment,
        item_id,
        exposure,
        2e0 * (n_items - n_listed) + (
            min(low_place) OVER (PARTITION BY system, segment, exposure)
            + max(low_place) OVER (PARTITION BY system, segment, exposure)
        ) - n_items - 1 AS weight,
        CASE $denominator WHEN 'n' THEN n_items ELSE n_items - 1 END AS n
    FROM exposures
),
summed AS (
    SELECT system, segment, sum(weight * exposure) AS weighted, sum(exposure) AS total
    FROM shared
    GROUP BY system, segment
)
SELECT
    shared.system,
    shared.segment,
    shared.item_id,
    (shared.weight - CAST(summed.weighted AS DOUBLE) / summed.total)
        / nullif(CAST(shared.n AS DOUBLE) * summed.total, 0) AS slope,
    0e0 AS mean_slope
FROM shared
JOIN summed ON summed.system = shared.system AND summed.segment = shared.segment;
