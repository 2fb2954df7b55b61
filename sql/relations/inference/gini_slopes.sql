-- name:     gini_slopes
-- title:    Change of the Gini index with each list that has an item
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), items (item_id)
-- params:   over VARCHAR DEFAULT 'catalog' CHECK (over IN ('catalog', 'recommended')),
--           denominator VARCHAR DEFAULT 'n' CHECK (denominator IN ('n', 'n_minus_1'))
-- values:   over: as in relations/ranking/exposures
--           denominator: as in ranking/gini
-- grain:    system, segment, item_id
-- note:     a slope is the change if one list less has the item (the jackknife). Most items of large catalogues are in
--           few lists, so that derivatives would be too small. The item has the lowest place of all with its exposure.
--           An item of one list falls below all others, or no longer counts if over=recommended
WITH placed AS (
    SELECT
        system,
        segment,
        item_id,
        n_lists,
        exposure,
        2e0 * (n_items - n_listed + low_place) - n_items - 1 AS weight,
        2e0 * (n_items - n_listed + min(low_place) OVER (PARTITION BY system, segment, exposure)) - n_items - 1
            AS lowest_weight,
        sum(exposure) OVER (PARTITION BY system, segment ORDER BY exposure)
            - sum(exposure) OVER (PARTITION BY system, segment, exposure) AS below,
        CAST(CASE $denominator WHEN 'n' THEN n_items ELSE n_items - 1 END AS DOUBLE) AS n
    FROM exposures
),
summed AS (
    SELECT system, segment, CAST(sum(weight * exposure) AS DOUBLE) AS weighted, sum(exposure) AS total
    FROM placed
    GROUP BY system, segment
)
SELECT
    placed.system,
    placed.segment,
    placed.item_id,
    CASE
        WHEN placed.n_lists > 1
            THEN (placed.lowest_weight - summed.weighted / summed.total) / nullif(placed.n * summed.total, 0)
        WHEN $over = 'catalog'
            THEN (placed.lowest_weight - 2 * placed.below / placed.exposure - summed.weighted / summed.total)
                / nullif(placed.n * summed.total, 0)
        ELSE (
            summed.weighted / nullif(placed.n * summed.total, 0)
            - (
                summed.weighted - placed.lowest_weight * placed.exposure
                + 2 * placed.below + placed.exposure - summed.total
            ) / nullif((placed.n - 1) * (summed.total - placed.exposure), 0)
        ) / placed.exposure
    END AS slope,
    0e0 AS mean_slope
FROM placed
JOIN summed ON summed.system = placed.system AND summed.segment = placed.segment;
