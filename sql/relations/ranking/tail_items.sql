-- name:     tail_items
-- title:    Items of the history, each with whether it is in the long tail
-- inputs:   history (query_id, item_id)
-- params:   popularity VARCHAR DEFAULT 'interactions' CHECK (popularity IN ('interactions', 'users')),
--           tail VARCHAR DEFAULT 'interactions' CHECK (tail IN ('interactions', 'items', 'count')),
--           boundary DOUBLE DEFAULT 0.8
-- values:   popularity: as in item_popularity
--           tail: as in long_tail
--           boundary: as in long_tail
-- grain:    item_id
-- note:     the condition is that of long_tail, which has it once more, because metrics on its rows share one aggregate
SELECT
    item_popularity.item_id,
    CASE
        WHEN $tail = 'interactions' AND item_popularity.more_popular / popularity_totals.popularity >= $boundary THEN 1
        WHEN $tail = 'items' AND (
            item_popularity.tail_place = 1
            OR CAST(popularity_totals.n_items - item_popularity.tail_place AS DOUBLE) / popularity_totals.n_items
                >= $boundary
        ) THEN 1
        WHEN $tail = 'count' AND item_popularity.popularity <= $boundary THEN 1
        ELSE 0
    END AS in_tail
FROM item_popularity
CROSS JOIN popularity_totals;
