-- name:     gini_slopes
-- title:    Change of the Gini index with each list that has an item
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), items (item_id)
-- params:   over VARCHAR DEFAULT 'catalog' CHECK (over IN ('catalog', 'recommended')),
--           denominator VARCHAR DEFAULT 'n' CHECK (denominator IN ('n', 'n_minus_1')),
--           discount VARCHAR DEFAULT 'none' CHECK (discount IN ('none', 'log2', 'geometric'))
-- values:   over: as in relations/ranking/exposures
--           denominator: as in ranking/gini
--           discount: as in relations/ranking/first_items
-- grain:    system, segment, item_id
-- note:     a slope is the change if one list less has the item (the jackknife), as most items of a large catalogue
--           are in few lists: the item then has the lowest place of the items with its exposure; with over=recommended,
--           an item of one list no longer counts; with a discount, such an item passes those with less exposure
WITH shared AS (
    SELECT
        system,
        segment,
        item_id,
        n_lists,
        exposure,
        2e0 * (n_items - n_listed + low_place) - n_items - 1 AS weight,
        n_items - n_listed + min(low_place) OVER (PARTITION BY system, segment, exposure) AS lowest_place,
        n_items - n_listed AS n_unlisted,
        n_items,
        CASE $denominator WHEN 'n' THEN n_items ELSE n_items - 1 END AS n
    FROM exposures
),
changed AS (
    SELECT
        system,
        segment,
        item_id,
        n_lists,
        n,
        CASE
            WHEN $discount <> 'none' AND n_lists = 1 THEN 1e0 * lowest_place + n_unlisted - n_items
            ELSE 2e0 * lowest_place - n_items - 1
        END AS change
    FROM shared
),
summed AS (
    SELECT system, segment, sum(weight * exposure) AS weighted, sum(exposure) AS total
    FROM shared
    GROUP BY system, segment
)
SELECT
    changed.system,
    changed.segment,
    changed.item_id,
    CASE
        WHEN $over = 'recommended' AND $discount = 'none' AND changed.n_lists = 1
            THEN summed.weighted / nullif(CAST(changed.n AS DOUBLE) * summed.total, 0)
                - (summed.weighted - changed.change - summed.total + 1)
                / nullif((CAST(changed.n AS DOUBLE) - 1) * (summed.total - 1), 0)
        ELSE (changed.change - CAST(summed.weighted AS DOUBLE) / summed.total)
            / nullif(CAST(changed.n AS DOUBLE) * summed.total, 0)
    END AS slope,
    0e0 AS mean_slope
FROM changed
JOIN summed ON summed.system = changed.system AND summed.segment = changed.segment;
