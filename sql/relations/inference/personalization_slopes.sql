-- name:     personalization_slopes
-- title:    Change of personalization with each list that has an item
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           norm VARCHAR DEFAULT 'returned' CHECK (norm IN ('returned', 'k', 'full_k'))
-- values:   k: as in ranking/recall
--           norm: as in ranking/personalization
-- grain:    system, segment, item_id
WITH summed AS (
    SELECT
        system,
        segment,
        sum(n_lists) AS n_places,
        sum(n_lists * (n_lists - 1e0)) AS n_shared,
        max(n_all_lists) AS n_all_lists
    FROM item_lists
    GROUP BY system, segment
)
SELECT
    item_lists.system,
    item_lists.segment,
    item_lists.item_id,
    CASE $norm
        WHEN 'returned' THEN summed.n_shared / summed.n_places - (2e0 * item_lists.n_lists - 1)
        WHEN 'k' THEN -(2e0 * item_lists.n_lists - 1)
        ELSE -2e0 * item_lists.n_lists
    END / nullif(
        CASE $norm WHEN 'returned' THEN summed.n_places ELSE $k * summed.n_all_lists END
            * (summed.n_all_lists - 1e0), 0
    ) AS slope,
    0e0 AS mean_slope
FROM item_lists
JOIN summed ON summed.system = item_lists.system AND summed.segment = item_lists.segment;
