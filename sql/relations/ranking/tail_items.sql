-- name:     tail_items
-- title:    Items of the history, each with whether it is in the long tail
-- inputs:   history (query_id, item_id)
-- params:   popularity VARCHAR DEFAULT 'interactions' CHECK (popularity IN ('interactions', 'users')),
--           tail VARCHAR DEFAULT 'interactions' CHECK (tail IN ('interactions', 'items', 'count')),
--           boundary DOUBLE DEFAULT 0.8
-- values:   popularity: as in item_popularity
--           tail=interactions: all items but the most popular ones, which have most interactions
--           tail=items: a share of the items, the least popular ones, at least one item
--           tail=count: the items whose popularity is at most the boundary
--           boundary: the share of the head; tail=count: the largest popularity in the tail
-- grain:    item_id
-- note:     tail=interactions: the head is the shortest list of the most popular items with the share boundary of
--           all interactions; tail=items: an item is in the tail if the share boundary of all items is above it;
--           shares are divided before they are compared, because 0.55 * 20 is above 11, but 11 / 20 is 0.55
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
