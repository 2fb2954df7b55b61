-- name:     catalog_size_slopes
-- title:    Change of the effective size of the catalogue with each list that has an item
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), items (item_id)
-- params:   kind VARCHAR DEFAULT 'rank' CHECK (kind IN ('rank', 'entropy'))
-- values:   kind: as in ranking/effective_catalog_size
-- grain:    system, segment, item_id
-- note:     a slope is the change if one list less has the item, see gini_slopes
WITH shared AS (
    SELECT
        system,
        segment,
        item_id,
        exposure,
        CASE $kind WHEN 'rank' THEN 2e0 * (n_listed + 1 - low_place) ELSE ln(exposure) END AS weight,
        CASE $kind
            WHEN 'rank' THEN 2e0 * (
                n_listed + 1 - min(low_place) OVER (PARTITION BY system, segment, exposure)
            )
            ELSE exposure * ln(exposure) - (exposure - 1) * ln(greatest(exposure - 1, 1e0)) - 1
        END AS change
    FROM exposures
),
summed AS (
    SELECT system, segment, sum(weight * exposure) / sum(exposure) AS weighted, sum(exposure) AS total
    FROM shared
    GROUP BY system, segment
)
SELECT
    shared.system,
    shared.segment,
    shared.item_id,
    CASE $kind
        WHEN 'rank' THEN shared.change - summed.weighted
        ELSE (summed.weighted - shared.change) * summed.total / exp(summed.weighted)
    END / summed.total AS slope,
    0e0 AS mean_slope
FROM shared
JOIN summed ON summed.system = shared.system AND summed.segment = shared.segment;
