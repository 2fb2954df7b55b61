-- name:     item_lists
-- title:    Recommended items with the number of lists that have them
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   discount VARCHAR DEFAULT 'none' CHECK (discount IN ('none', 'log2', 'geometric')),
--           weights VARCHAR DEFAULT 'items' CHECK (weights IN ('items', 'lists'))
-- values:   discount: as in first_items
--           weights=items: every recommendation counts the same
--           weights=lists: every list counts the same, so that the items of a longer list count less
-- grain:    system, segment, item_id
-- note:     exposure is the number of lists if discount=none; weight is the sum of 1, or of 1 / n of lists with n items
WITH counted AS (
    SELECT
        system,
        segment,
        item_id,
        count(*) AS n_lists,
        CASE $discount WHEN 'none' THEN CAST(count(*) AS DOUBLE) ELSE sum(exposure) END AS exposure,
        CAST(count(*) AS DOUBLE) AS weight
    FROM first_items
    WHERE $weights = 'items'
    GROUP BY system, segment, item_id
    UNION ALL
    SELECT
        first_items.system,
        first_items.segment,
        first_items.item_id,
        count(*) AS n_lists,
        sum(first_items.exposure) AS exposure,
        sum(1e0 / list_sizes.n_items) AS weight
    FROM first_items
    JOIN list_sizes
        ON list_sizes.system = first_items.system
            AND list_sizes.segment = first_items.segment
            AND list_sizes.query_id = first_items.query_id
    WHERE $weights = 'lists'
    GROUP BY first_items.system, first_items.segment, first_items.item_id
)
SELECT
    counted.system,
    counted.segment,
    counted.item_id,
    counted.n_lists,
    counted.exposure,
    counted.weight,
    list_totals.n_all_lists
FROM counted
LEFT JOIN list_totals ON list_totals.system = counted.system AND list_totals.segment = counted.segment;
